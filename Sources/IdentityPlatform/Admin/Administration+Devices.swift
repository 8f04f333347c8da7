// SPDX-License-Identifier: Apache-2.0
internal import Storage

extension Administration {
    /// Enables a device, or disables it and ends its sessions.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func setEnabled(_ isEnabled: Bool, _ id: DeviceID, tenant: Tenant) async throws {
        try await change(isEnabled ? .deviceEnabled : .deviceDisabled, id, tenant) { devices, now in
            try devices.setEnabled(isEnabled, id, tenant: tenant.id, at: now, by: actor.name)
        }
    }

    /// Removes a device with its sessions and primary refresh tokens.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func remove(_ id: DeviceID, tenant: Tenant) async throws {
        try await change(.deviceRemoved, id, tenant) { devices, now in
            try devices.remove(id, tenant: tenant.id, at: now, by: actor.name)
        }
    }

    /// Says who may join or register devices of their own, and how many.
    ///
    /// - Throws: ``StorageError``
    package func setDeviceRegistrationRules(_ rules: DeviceRegistrationRules, tenant: Tenant) async throws {
        try await write { connection, now in
            try rules.keep(for: tenant.id, connection)
            try record(.deviceRulesSet, tenant.id, nil, now, connection)
        }
    }

    private func change(
        _ action: AuditAction, _ id: DeviceID, _ tenant: Tenant,
        _ body: @escaping @Sendable (Devices, Timestamp) throws -> Bool
    ) async throws {
        try await write { connection, now in
            guard try body(Devices(connection), now) else { throw AdminRefusal.noDevice }
            try record(action, tenant.id, id.rawValue, now, connection)
        }
    }
}
