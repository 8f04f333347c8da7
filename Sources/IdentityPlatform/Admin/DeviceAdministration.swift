// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// Administrative acts on the directory's devices.
package struct DeviceAdministration: Sendable {
    let transactions: AdminTransactions

    /// Enables a device, or disables it and ends its sessions.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func setEnabled(_ isEnabled: Bool, _ id: DeviceID, tenant: Tenant) async throws {
        try await transactions.write { act in
            let devices = Devices(act.connection)
            guard let device = try devices.find(id, tenant: tenant.id) else { throw AdminRefusal.noDevice }
            guard device.isEnabled != isEnabled else { return }
            _ = try devices.setEnabled(isEnabled, id, tenant: tenant.id, at: act.now, by: act.actor)
            try act.record(isEnabled ? .deviceEnabled : .deviceDisabled, of: tenant.id, subject: id.rawValue)
        }
    }

    /// Removes a device together with its sessions and primary refresh tokens.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func remove(_ id: DeviceID, tenant: Tenant) async throws {
        try await transactions.write { act in
            let devices = Devices(act.connection)
            guard try devices.remove(id, tenant: tenant.id, at: act.now, by: act.actor) else {
                throw AdminRefusal.noDevice
            }
            try act.record(.deviceRemoved, of: tenant.id, subject: id.rawValue)
        }
    }
}
