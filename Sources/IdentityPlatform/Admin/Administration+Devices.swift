// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

extension Administration {
    /// Enables a device, or disables it and ends its sessions.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func setEnabled(_ isEnabled: Bool, _ id: DeviceID, tenant: Tenant) async throws {
        try await change(isEnabled ? .deviceEnabled : .deviceDisabled, id, of: tenant) { devices, now in
            try devices.setEnabled(isEnabled, id, tenant: tenant.id, at: now, by: actor.name)
        }
    }

    /// Removes a device with its sessions and primary refresh tokens.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func remove(_ id: DeviceID, tenant: Tenant) async throws {
        try await change(.deviceRemoved, id, of: tenant) { devices, now in
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
        _ action: AuditAction, _ id: DeviceID, of tenant: Tenant,
        by body: @escaping @Sendable (Devices, Timestamp) throws -> Bool
    ) async throws {
        try await write { connection, now in
            guard try body(Devices(connection), now) else { throw AdminRefusal.noDevice }
            try record(action, tenant.id, id.rawValue, now, connection)
        }
    }
}

extension Administration {
    /// Turns offline sign-in on under these rules, or off; what was given before is withdrawn in either case.
    ///
    /// - Throws: ``StorageError``
    package func setOfflineRules(_ rules: OfflineRules?, tenant: Tenant) async throws {
        try await write { connection, now in
            try OfflineRules.keep(rules, for: tenant.id, connection)
            if rules?.credentials.contains(.pinWithoutTPM) == true {
                try record(.offlinePINWithoutTPM, tenant.id, nil, now, connection)
            }
            try record(rules == nil ? .offlineTurnedOff : .offlineTurnedOn, tenant.id, nil, now, connection)
        }
    }
}

extension Administration {
    /// Whom a receipt's pseudonym means; the audit log says who asked.
    ///
    /// - Returns: the ids, and the person where the organisation still has them.
    /// - Throws: ``AdminRefusal``, ``StorageError``
    func resolve(_ pseudonym: String, tenant: Tenant) async throws -> (ReceiptAuthority.Subject, User?) {
        guard let subject = try await platform.receiptAuthorities.authority(of: tenant.id).subject(of: pseudonym) else {
            throw AdminRefusal.noReceiptSubject
        }
        return try await write { connection, now in
            try record(.receiptResolved, tenant.id, subject.user.rawValue, now, connection)
            return (subject, try Users(connection).find(subject.user, tenant: tenant.id))
        }
    }
}
