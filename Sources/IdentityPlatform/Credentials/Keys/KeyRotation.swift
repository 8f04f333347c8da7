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
    /// - Parameter immediately: whether the keys sign at once. If so, clients with an older cached key set cannot
    ///   verify new tokens.
    /// - Throws: ``HashingPool/Busy``, ``StorageError``, or an error of the cryptography library.
    func rotate(
        _ algorithms: [SignatureAlgorithm], of tenant: TenantID, immediately: Bool, by actor: String
    ) async throws {
        let now = environment.now()
        let signs = immediately ? now : now + schedule.publication
        let made = try await hashing.run { [environment] in
            try algorithms.map { try TenantKey.generate($0, created: now, signs: signs, environment) }
        }
        try await database.write { connection in
            for (key, stored) in made {
                try keys.add(key, stored: stored, tenant: tenant, connection)
                try AuditLog(connection).append(
                    .signingKeyAdded, tenant: tenant, actor: actor, subject: key.id, at: now)
            }
        }
        keys.forget(tenant)
    }

    /// Performs the due rotations and removals of one organisation.
    ///
    /// - Returns: how many keys were added or removed.
    /// - Throws: ``HashingPool/Busy``, ``StorageError``, or an error of the cryptography library.
    func keep(_ tenant: TenantID) async throws -> Int {
        let now = environment.now()
        let present = try await keys.all(of: tenant)
        let due = schedule.due(present, at: now)
        if !due.isEmpty { try await rotate(due, of: tenant, immediately: false, by: AuditLog.server) }
        let obsolete = schedule.obsolete(present, at: now)
        guard !obsolete.isEmpty else { return due.count }
        try await database.write { connection in
            for key in obsolete {
                try keys.remove(key, tenant: tenant, connection)
                try AuditLog(connection).append(
                    .signingKeyRemoved, tenant: tenant, actor: AuditLog.server, subject: key.id, at: now)
            }
        }
        keys.forget(tenant)
        return due.count + obsolete.count
    }
}
