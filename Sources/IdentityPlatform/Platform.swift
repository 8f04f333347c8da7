// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The identity platform: directory, sign-in, tokens, device registration and Graph over one database.
///
/// What a feature needs it takes from here; what it serves it adds in `Platform+Routes.swift`.
package struct Platform: Sendable {
    package let configuration: IdentityConfiguration
    package let database: any Database
    package let ambient: Ambient
    package let resources: ResourceCatalogue
    package let passwords: Passwords
    package let keys: TenantKeys
    package let issuer: TokenIssuer
    package let accessTokens: AccessTokens
    package let nonces: Nonces
    package let deviceAuthorities: DeviceAuthorities
    let storageKey: StorageKey
    package let hashing: HashingPool
    let pages: Pages

    /// Makes the platform over a database that has the steps of ``Schema/migrations``.
    ///
    /// - Parameter storageKey: opens what the database keeps sealed; the same one for the life of the database.
    /// - Throws: the error of a page template that does not parse, or of the first password hash.
    package init(
        configuration: IdentityConfiguration, database: any Database, storageKey: StorageKey,
        ambient: Ambient = .system
    ) async throws {
        self.configuration = configuration
        self.database = database
        self.ambient = ambient
        self.storageKey = storageKey
        nonces = Nonces(ambient: ambient)
        deviceAuthorities = DeviceAuthorities(database: database, storageKey: storageKey, ambient: ambient)
        resources = ResourceCatalogue(names: configuration.names)
        hashing = HashingPool(threads: configuration.hashingThreads, capacity: configuration.hashingQueue)
        passwords = try await Passwords(
            database: database, pool: hashing, ambient: ambient, cost: configuration.passwordCost)
        keys = TenantKeys(database: database)
        issuer = TokenIssuer(
            names: configuration.names, lifetimes: configuration.lifetimes, keys: keys, ambient: ambient)
        accessTokens = AccessTokens(issuer: issuer, database: database, ambient: ambient)
        pages = try Pages()
    }
}
