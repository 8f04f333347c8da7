// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// Gives organisations new signing keys and removes obsolete ones (``KeySchedule``).
struct KeyRotation: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let keys: TenantKeys
    /// The pool in which keys are generated. Administrators' work uses the same pool.
    let hashing: HashingPool
    private let schedule: KeySchedule

    init(_ platform: Platform) {
        (database, environment, keys) = (platform.database, platform.environment, platform.keys)
        hashing = platform.newPasswords.hashing
        let (lifetimes, signingKeys) = (platform.configuration.lifetimes, platform.configuration.signingKeys)
        schedule = KeySchedule(
            publication: signingKeys.publication, age: signingKeys.age,
            longestToken: max(lifetimes.accessToken, lifetimes.sharedDeviceAccessToken))
    }

    /// Creates keys for the algorithms, stores them and writes the audit entries.
    ///
    /// - Parameters:
    ///   - immediately: whether the keys sign at once. If so, clients with an older cached key set cannot verify new
    ///     tokens.
    ///   - judge: called in the transaction that stores the new keys. It receives the keys that the organisation has at
    ///     that moment, and returns the algorithms for which a new key is stored. Another node may have added keys
    ///     since the rotation was decided.
    /// - Returns: how many keys were stored.
    /// - Throws: the error of `judge`, ``HashingPool/Busy``, ``StorageError``, or an error of the cryptography library.
    @discardableResult
    func rotate(
        _ algorithms: [SignatureAlgorithm], of tenant: TenantID, immediately: Bool, by actor: String,
        where judge: @escaping @Sendable ([KeyStart]) throws -> [SignatureAlgorithm]
    ) async throws -> Int {
        let now = environment.now()
        let signs = immediately ? now : now + schedule.publication
        let made = try await hashing.run { [environment] in
            try algorithms.map { try TenantKey.generate($0, created: now, signs: signs, environment) }
        }
        let stored = try await database.write { connection in
            let wanted = try judge(try keys.starts(of: tenant, connection))
            let added = made.filter { wanted.contains($0.key.algorithm) }
            for (key, stored) in added {
                try keys.add(key, stored: stored, tenant: tenant, connection)
                try AuditLog(connection).append(
                    AuditLine(.signingKeyAdded, tenant: tenant, actor: actor, subject: key.id, at: now))
            }
            return added.count
        }
        keys.forget(tenant)
        return stored
    }

    /// Adds the keys that are due for one organisation, and removes its obsolete keys.
    ///
    /// - Returns: how many keys were added or removed.
    /// - Throws: ``HashingPool/Busy``, ``StorageError``, or an error of the cryptography library.
    func keep(_ tenant: TenantID) async throws -> Int {
        let now = environment.now()
        let present = try await keys.all(of: tenant)
        let due = schedule.due(present.map(\.start), at: now)
        var changed = 0
        if !due.isEmpty {
            changed += try await rotate(due, of: tenant, immediately: false, by: AuditLog.server) { [schedule] starts in
                schedule.due(starts, at: now)
            }
        }
        let obsolete = schedule.obsolete(present, at: now)
        guard !obsolete.isEmpty else { return changed }
        changed += try await database.write { connection in
            // Another node may have removed a key since the list was read.
            let removed = try obsolete.filter { try keys.remove($0, tenant: tenant, connection) }
            for key in removed {
                try AuditLog(connection).append(
                    AuditLine(.signingKeyRemoved, tenant: tenant, actor: AuditLog.server, subject: key.id, at: now))
            }
            return removed.count
        }
        keys.forget(tenant)
        return changed
    }
}
