// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// Gives organisations new signing keys and takes the old ones away (``KeySchedule``).
struct KeyRotation: Sendable {
    let platform: Platform

    var schedule: KeySchedule {
        let lifetimes = platform.configuration.lifetimes
        return KeySchedule(
            publication: platform.configuration.signingKeys.publication, age: platform.configuration.signingKeys.age,
            longestToken: max(lifetimes.accessToken, lifetimes.sharedDeviceAccessToken))
    }

    /// Makes keys for the algorithms and keeps them with the line of the audit log.
    ///
    /// - Parameter immediately: whether they sign at once, which clients that hold the older key set notice.
    /// - Throws: ``HashingPool/Busy``, ``StorageError``, or the library's error.
    func rotate(
        _ algorithms: [SignatureAlgorithm], of tenant: TenantID, immediately: Bool, by actor: String
    ) async throws {
        let now = platform.environment.now()
        let signs = immediately ? now : now + schedule.publication
        let made = try await platform.administrationHashing.run { [environment = platform.environment] in
            try algorithms.map { try TenantKey.generate($0, created: now, signs: signs, environment) }
        }
        try await platform.database.write { [platform] connection in
            for (key, stored) in made {
                try platform.keys.add(key, stored: stored, tenant: tenant, connection)
                try AuditLog(connection).append(
                    .signingKeyAdded, tenant: tenant, actor: actor, subject: key.id, at: now)
            }
        }
        platform.keys.forget(tenant)
    }

    /// Does for one organisation what is due.
    ///
    /// - Returns: how many keys came or went.
    /// - Throws: ``HashingPool/Busy``, ``StorageError``, or the library's error.
    func keep(_ tenant: TenantID) async throws -> Int {
        let now = platform.environment.now()
        let keys = try await platform.keys.all(of: tenant)
        let due = schedule.due(keys, at: now)
        if !due.isEmpty { try await rotate(due, of: tenant, immediately: false, by: AuditLog.server) }
        let obsolete = schedule.obsolete(keys, at: now)
        guard !obsolete.isEmpty else { return due.count }
        try await platform.database.write { [platform] connection in
            for key in obsolete {
                try platform.keys.remove(key, tenant: tenant, connection)
                try AuditLog(connection).append(
                    .signingKeyRemoved, tenant: tenant, actor: AuditLog.server, subject: key.id, at: now)
            }
        }
        platform.keys.forget(tenant)
        return due.count + obsolete.count
    }
}
