// SPDX-License-Identifier: Apache-2.0
internal import Storage

extension Administration {
    /// Enables a device, or disables it and ends its sessions.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func setEnabled(_ isEnabled: Bool, _ id: DeviceID, tenant: Tenant) async throws {
        try await change(isEnabled ? .deviceEnabled : .deviceDisabled, id, tenant) { devices, now in
            try devices.setEnabled(isEnabled, id, tenant: tenant.id, at: now)
        }
    }

    /// Removes a device with its sessions and primary refresh tokens.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func remove(_ id: DeviceID, tenant: Tenant) async throws {
        try await change(.deviceRemoved, id, tenant) { devices, now in
            try devices.remove(id, tenant: tenant.id, at: now)
        }
    }

    /// Says who may join or register devices of their own, and how many.
    ///
    /// - Throws: ``StorageError``
    package func setDeviceRegistrationRules(_ rules: DeviceRegistrationRules, tenant: Tenant) async throws {
        let now = platform.ambient.now()
        try await platform.database.write { connection in
            try rules.keep(for: tenant.id, connection)
            try AuditLog(connection).append(
                .deviceRulesSet, tenant: tenant.id, actor: AuditLog.localOperator, subject: nil, at: now)
        }
    }

    private func change(
        _ action: AuditAction, _ id: DeviceID, _ tenant: Tenant,
        _ body: @escaping @Sendable (Devices, Timestamp) throws -> Bool
    ) async throws {
        let now = platform.ambient.now()
        try await platform.database.write { connection in
            guard try body(Devices(connection), now) else { throw AdminRefusal.noDevice }
            try AuditLog(connection).append(
                action, tenant: tenant.id, actor: AuditLog.localOperator, subject: id.rawValue, at: now)
        }
    }
}
