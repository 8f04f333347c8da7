// SPDX-License-Identifier: Apache-2.0
package import Storage

/// Owns the parts of the identity platform that exist once for each database.
///
/// A feature takes the parts that it needs in its initialiser; no endpoint keeps the platform. The routes of the features
/// are in `Platform+Routes.swift`.
package struct Platform: Sendable {
    package let configuration: IdentityConfiguration
    package let database: any Database
    /// Whether other nodes use the database, so that what one node remembers may be out of date. The platform passes
    /// this value to every part that depends on it.
    let isShared: Bool
    package let environment: ClockAndRandomness
    package let resources: ResourceCatalogue
    package let passwords: Passwords
    package let keys: TenantKeys
    package let issuer: TokenIssuer
    package let accessTokens: AccessTokens
    package let nonces: Nonces
    package let deviceAuthorities: DeviceAuthorities
    package let receiptAuthorities: ReceiptAuthorities
    package let directoryCache: DirectoryCache
    let storageKey: StorageKey
    let newPasswords: NewPasswords
    let pages: Pages

    /// Creates the platform over a database to which ``IdentitySchema/migrations`` have been applied.
    ///
    /// - Parameter storageKey: the key under which values in the database are sealed. A database must always be opened
    ///   with the same key.
    /// - Throws: ``StorageKey/Failure`` if the database belongs to another storage key, ``BreachedPasswords/Failure``,
    ///   ``StorageError``, or ``TextsFailure`` if a catalogue of texts is incomplete.
    package init(
        configuration: IdentityConfiguration, database: any Database, storageKey: StorageKey,
        environment: ClockAndRandomness = .system, metrics: IdentityMetrics = IdentityMetrics()
    ) async throws {
        try await StorageCheck.confirm(storageKey, for: database)
        self.configuration = configuration
        self.database = database
        self.environment = environment
        self.storageKey = storageKey
        isShared = database.isShared
        directoryCache = DirectoryCache(database: database, isShared: isShared)
        nonces = Nonces(
            environment: environment, storageKey: storageKey, isShared: isShared,
            capacityOfCaller: configuration.requestsPerCaller)
        deviceAuthorities = DeviceAuthorities(database: database, storageKey: storageKey, environment: environment)
        receiptAuthorities = ReceiptAuthorities(database: database, storageKey: storageKey, environment: environment)
        resources = ResourceCatalogue(names: configuration.names)
        // The pool for administrators' work: new passwords and keys.
        let administration = HashingPool(threads: 1, capacity: configuration.hashingQueue)
        passwords = Passwords(
            database: database, storageKey: storageKey, environment: environment, cost: configuration.passwordCost,
            signIns: HashingPool(
                threads: configuration.hashingThreads, capacity: configuration.hashingQueue, metrics: metrics.hashing),
            administration: administration, metrics: metrics)
        newPasswords = NewPasswords(
            passwords: passwords,
            breached: try configuration.breachedPasswords.map { try BreachedPasswords(path: $0) },
            hashing: administration)
        keys = TenantKeys(database: database, isShared: isShared, storageKey: storageKey, environment: environment)
        issuer = TokenIssuer(
            names: configuration.names, lifetimes: configuration.lifetimes, keys: keys, environment: environment)
        accessTokens = AccessTokens(
            issuer: issuer, database: database, directoryCache: directoryCache, environment: environment)
        pages = try Pages(database: database)
    }

    package var metrics: IdentityMetrics { passwords.metrics }
    /// The pool in which the passwords of sign-ins are hashed.
    package var hashing: HashingPool { passwords.signIns }
    /// Answers devices' requests for their own state and for the state of their sessions.
    package var sessionStatusRequests: SessionStatusRequests {
        SessionStatusRequests(database: database, proofs: deviceProofs)
    }
    /// The names that devices have in device management.
    package var managementNames: MDMDeviceNames { MDMDeviceNames(database: database, environment: environment) }
    var failedSignIns: FailedSignIns { FailedSignIns(database: database, environment: environment) }
    var browserSignIns: BrowserSignIns { BrowserSignIns(self) }
    var signedInBrowser: SignedInBrowser { SignedInBrowser(database: database, environment: environment) }
    var tokens: TokenTransactions { TokenTransactions(self) }
    var deviceProofs: DeviceProofs {
        DeviceProofs(database: database, environment: environment, nonces: nonces, names: configuration.names)
    }
}
