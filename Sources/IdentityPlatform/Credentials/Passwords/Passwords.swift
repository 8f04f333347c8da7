// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Redaction
package import Storage

/// Hashes and checks passwords. A check takes the same amount of work whether or not the person exists.
package struct Passwords: Sendable {
    private let database: any Database
    private let environment: ClockAndRandomness
    private let storageKey: StorageKey
    private let cost: PasswordCost
    /// The pool for sign-ins. Administrators' work has a separate pool, so that a flood of one kind of work does not
    /// block the other kind.
    let signIns: HashingPool
    private let administration: HashingPool
    private let throttle: SignInThrottle
    let metrics: IdentityMetrics

    init(
        database: any Database, storageKey: StorageKey, environment: ClockAndRandomness, cost: PasswordCost,
        signIns: HashingPool,
        administration: HashingPool, metrics: IdentityMetrics
    ) {
        self.metrics = metrics
        (self.database, self.storageKey, self.environment, self.cost) = (database, storageKey, environment, cost)
        (self.signIns, self.administration) = (signIns, administration)
        throttle = SignInThrottle(database: database, storageKey: storageKey, environment: environment)
    }

    /// Hashes a new password at the current cost.
    ///
    /// - Throws: ``HashingPool/Busy``, or an error of the cryptography library.
    func hash(_ password: SecretBytes) async throws -> PasswordHash {
        let salt = environment.randomBytes(16)
        return try await administration.run(rounds: cost.rounds) { [cost] in
            try PasswordHash(of: password, cost: cost, salt: salt)
        }
    }

    /// Checks a name and a password. Neither the response nor the amount of work reveals whether the name was wrong,
    /// the password was wrong or the account is disabled.
    ///
    /// The attempt counts as a failure until ``confirm(_:at:_:)`` is called, so that parallel attempts cannot bypass
    /// the throttle.
    ///
    /// - Throws: ``OAuthError`` `tooManyFailures` before the password is hashed, ``HashingPool/Busy``,
    ///   ``StorageError``.
    package func check(
        name: String, password: SecretBytes, tenant: TenantID, from origin: SignInOrigin
    ) async throws -> CheckedPassword? {
        let attempt = try await admit(name: name, tenant: tenant, from: origin)
        let (person, hash) = try await candidate(name, tenant)
        guard let hash else { return nil }
        let (cost, salt) = (cost, environment.randomBytes(16))
        let outcome: (matches: Bool, fresh: PasswordHash?)
        do {
            outcome = try await signIns.run(rounds: hash.cost.rounds, for: attempt.asker) {
                guard try hash.matches(password) else { return (false, nil) }
                guard hash.cost != cost else { return (true, nil) }
                return (true, try PasswordHash(of: password, cost: cost, salt: salt))
            }
        } catch {
            try await throttle.takeBack(attempt)
            throw error
        }
        guard outcome.matches, let person, person.isEnabled else { return nil }
        return CheckedPassword(person: person.id, hash: hash, fresh: outcome.fresh, attempt: attempt)
    }

    private func admit(
        name: String, tenant: TenantID, from origin: SignInOrigin
    ) async throws -> SignInThrottle.Attempt {
        do { return try await throttle.admit(name: name, tenant: tenant, from: origin) } catch let error as OAuthError
            where error == .tooManyFailures
        {
            metrics.count(.signIn)
            throw error
        }
    }

    /// Returns the person whose password was checked, if the password is still valid in this transaction. Returns nil
    /// if, since the check, the password has been changed or the account has been disabled or removed. Replaces a
    /// stored hash that does not have the current cost.
    ///
    /// - Throws: ``StorageError``
    package func confirm(
        _ checked: CheckedPassword, at time: Timestamp, _ connection: any Connection
    ) throws -> User? {
        let (users, tenant) = (Users(connection), checked.attempt.tenant)
        guard let person = try users.find(checked.person, tenant: tenant), person.isEnabled,
            try users.password(of: person.id, tenant: tenant)?.rawValue == checked.hash.rawValue
        else { return nil }
        if let fresh = checked.fresh { try users.setPassword(fresh, of: person.id, tenant: tenant) }
        try throttle.succeeded(checked.attempt, at: time, connection)
        return person
    }

    /// Runs the transaction that uses a correct password. If the transaction throws an error, this attempt no longer
    /// counts as a failure; earlier failures stay counted.
    ///
    /// - Throws: the error of `body`, ``StorageError``
    func using<Outcome: Sendable>(
        _ checked: CheckedPassword?, _ body: () async throws -> Outcome
    ) async throws -> Outcome {
        do { return try await body() } catch {
            if let checked { try await throttle.takeBack(checked.attempt) }
            throw error
        }
    }

    /// Resets the count of a person's wrong passwords.
    ///
    /// - Returns: whether a wrong password still counted.
    /// - Throws: ``StorageError``
    @discardableResult
    func forgive(_ person: User, _ connection: any Connection) throws -> Bool {
        try throttle.forgive(name: person.userPrincipalName, tenant: person.tenant, connection)
    }

    /// Deletes all counts of a person, and the record of where the person has signed in.
    ///
    /// - Throws: ``StorageError``
    func forget(_ person: User, _ connection: any Connection) throws {
        try throttle.forget(name: person.userPrincipalName, tenant: person.tenant, connection)
    }

    /// Returns the counts of a person's failed sign-ins. The counts do not name addresses, devices or browsers.
    ///
    /// - Throws: ``StorageError``
    func failures(of person: User, _ connection: any Connection) throws -> [Row] {
        try throttle.counts(name: person.userPrincipalName, tenant: person.tenant, connection)
    }

    /// Returns the person who has this name, and the hash of the person's password. For an unknown name, returns no
    /// person and the password hash of another person in the tenant, selected by a keyed hash of the name. Checking an
    /// unknown name therefore takes as much work as checking a real person, and always the same work for the same name.
    private func candidate(_ name: String, _ tenant: TenantID) async throws -> (User?, PasswordHash?) {
        let place = ID<User>(
            bytes: Array(
                storageKey.derived("stand-in of a name", tenant.bytes + Array(name.lowercased().utf8)).prefix(16)))
        return try await database.read { connection in
            let users = Users(connection)
            let person = try users.find(name: name, tenant: tenant)
            let standIn = try users.password(near: place, tenant: tenant)
            let hash = try person.flatMap { try users.password(of: $0.id, tenant: tenant) }
            return (person, hash ?? standIn)
        }
    }
}

/// A password that was correct when it was checked. The transaction that uses it must first confirm it
/// (``Passwords/confirm(_:at:_:)``).
package struct CheckedPassword: Sendable {
    let person: UserID
    let hash: PasswordHash
    /// The password's hash at the current cost; nil if the stored hash already has that cost.
    let fresh: PasswordHash?
    let attempt: SignInThrottle.Attempt
}
