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
        try await change(isEnabled ? .deviceEnabled : .deviceDisabled, id, of: tenant) { devices, act in
            try devices.setEnabled(isEnabled, id, tenant: tenant.id, at: act.now, by: act.actor)
        }
    }

    /// Removes a device together with its sessions and primary refresh tokens.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func remove(_ id: DeviceID, tenant: Tenant) async throws {
        try await change(.deviceRemoved, id, of: tenant) { devices, act in
            try devices.remove(id, tenant: tenant.id, at: act.now, by: act.actor)
        }
    }

    private func change(
        _ action: AuditAction, _ id: DeviceID, of tenant: Tenant,
        by body: @escaping @Sendable (Devices, AdminTransaction) throws -> Bool
    ) async throws {
        try await transactions.write { act in
            guard try body(Devices(act.connection), act) else { throw AdminRefusal.noDevice }
            try act.record(action, of: tenant.id, subject: id.rawValue)
        }
    }
}
