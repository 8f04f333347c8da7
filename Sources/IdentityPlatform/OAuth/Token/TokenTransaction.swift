// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import Storage

/// One transaction of the token endpoint, with its time and the data needed to issue tokens.
struct TokenTransaction {
    let connection: any Connection
    let now: Timestamp
    let configuration: IdentityConfiguration
    let resources: ResourceCatalogue
    /// The applications, partly cached in memory.
    let clients: Clients
    private let view: DirectoryCache.View
    private let storageKey: StorageKey
    private let keys: TenantKeys

    /// - Parameter view: a view of the cache, taken before the transaction began.
    fileprivate init(_ source: TokenTransactions, view: DirectoryCache.View, in connection: any Connection) {
        (self.connection, self.view, now) = (connection, view, source.environment.now())
        (configuration, resources) = (source.configuration, source.resources)
        (clients, storageKey, keys) = (Clients(connection, view), source.storageKey, source.keys)
    }

    /// Returns the authenticated client.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func client(_ credentials: ClientCredentials, tenant: TenantID) throws -> Client {
        try clients.authenticated(credentials, tenant: tenant, at: now)
    }

    /// Returns the data for a session's tokens, if ``SessionRule`` allows the session.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func grant(
        _ session: SessionID, client: Client, scope: GrantedScope, nonce: String? = nil, claims: ClaimsRequest = .none,
        version: TokenVersion = .two
    ) throws -> Grant {
        let live = try LiveSession(session, tenant: client.tenant, connection)
        guard
            !live.session.isFromDeviceCode
                || scope.resource.application != ResourceCatalogue.deviceRegistrationApplication
        else { throw OAuthError.signedInAtOtherScreen }
        guard let tenant = try Tenants(connection, view).find(client.tenant) else { throw OAuthError.badGrant }
        return Grant(
            tenant: tenant, user: live.person,
            roles: try RoleMembers(connection).roles(of: live.person.id, tenant: tenant.id),
            client: client, session: live.session, scope: scope, nonce: nonce, claims: claims,
            version: version, keys: try keys.shared(by: tenant.id, connection))
    }

    /// Begins a token family. Returns the grant with the first refresh token, if one is requested. Clients of the
    /// version 1 endpoint always get a refresh token.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func begin(family: TokenFamilyID, with grant: Grant) throws -> IssuedGrant {
        guard grant.scope.wantsRefreshToken || grant.version == .one else {
            return IssuedGrant(grant: grant, refreshToken: nil)
        }
        let record = RefreshToken(
            tenant: grant.client.tenant, session: grant.session.id, client: grant.client.id,
            scope: grant.scope.lasting, family: family, ofPrimary: false,
            expires: now + configuration.lifetimes.refreshToken)
        return IssuedGrant(grant: grant, refreshToken: try issue(record))
    }

    /// Returns a client's refresh token if ``RefreshTokenRule`` allows its use.
    ///
    /// - Throws: ``Reuse``, ``OAuthError``, ``StorageError``
    func check(
        _ token: OpaqueToken, of client: ClientID, for purpose: RefreshTokenRule.Purpose
    ) throws -> RefreshToken {
        let tokens = RefreshTokens(connection)
        guard let record = try tokens.find(token), record.client == client else { throw OAuthError.badGrant }
        let successor = record.used == nil ? nil : try tokens.successor(of: record)
        switch RefreshTokenRule.judge(record, successor: successor, for: purpose, at: now) {
        case .fresh, .repeated: return record
        case .reused: throw Reuse(token: record)
        case .expired: throw OAuthError.expiredGrant
        case .dead: throw OAuthError.badGrant
        }
    }

    /// Marks a checked token as used, and issues the next token. A repeated use gets the same token again.
    ///
    /// - Throws: ``StorageError``
    func exchange(_ record: RefreshToken) throws -> IssuedRefreshToken {
        guard record.used == nil else { return try issued(record.next) }
        try RefreshTokens(connection).use(record, at: now)
        return try issue(record.next)
    }

    /// Stores a refresh token and returns it.
    ///
    /// - Throws: ``StorageError``
    func issue(_ record: RefreshToken) throws -> IssuedRefreshToken {
        let token = OpaqueToken(tenant: record.tenant, secret: storageKey.derived(Self.label, record.place))
        try RefreshTokens(connection).add(token, record, at: now)
        return IssuedRefreshToken(token: token, expires: record.expires)
    }

    /// Returns a refresh token that was issued earlier, perhaps by an older version of the server. The text of a
    /// refresh token is not random. The text is derived from the token's place and the storage key, so it can be
    /// returned again although only a hash is stored.
    ///
    /// - Throws: ``StorageError``
    func issued(_ record: RefreshToken) throws -> IssuedRefreshToken {
        let tokens = RefreshTokens(connection)
        let token = OpaqueToken(tenant: record.tenant, secret: storageKey.derived(Self.label, record.place))
        let former = OpaqueToken(tenant: record.tenant, secret: storageKey.formerlyDerived(Self.label, record.place))
        let isFormer = try tokens.find(token) == nil && tokens.find(former) != nil
        return IssuedRefreshToken(token: isFormer ? former : token, expires: record.expires)
    }

    private static let label = "refresh token"

    /// Decrypts a PRT's session key.
    ///
    /// - Throws: ``StorageKey/Failure``
    func open(_ sealed: [UInt8], of token: OpaqueToken) throws(StorageKey.Failure) -> SessionKey {
        try storageKey.openSessionKey(sealed, of: token)
    }
}

/// The transactions of the token endpoint.
struct TokenTransactions: Sendable {
    fileprivate let database: any Database
    fileprivate let directory: DirectoryCache
    fileprivate let configuration: IdentityConfiguration
    fileprivate let resources: ResourceCatalogue
    fileprivate let environment: ClockAndRandomness
    fileprivate let storageKey: StorageKey
    fileprivate let keys: TenantKeys

    init(_ platform: Platform) {
        (database, directory) = (platform.database, platform.directoryCache)
        (configuration, resources) = (platform.configuration, platform.resources)
        (environment, storageKey, keys) = (platform.environment, platform.storageKey, platform.keys)
    }

    /// Reads in one transaction of the token endpoint.
    ///
    /// - Throws: ``StorageError``, or the error of `body`.
    func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (TokenTransaction) throws -> Outcome
    ) async throws -> Outcome {
        let view = directory.view
        return try await database.read { try body(TokenTransaction(self, view: view, in: $0)) }
    }

    /// Writes in one transaction of the token endpoint. If a refresh token is reused, revokes the tokens issued from it
    /// and refuses the request.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``, or the error of `body`.
    func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (TokenTransaction) throws -> Outcome
    ) async throws -> Outcome {
        let view = directory.view
        do {
            return try await database.write { try body(TokenTransaction(self, view: view, in: $0)) }
        } catch let reuse as TokenTransaction.Reuse {
            try await database.write { try TokenTransaction(self, view: view, in: $0).revoke(reuse) }
            throw OAuthError.reusedToken
        }
    }

    /// Parses a request signed with a session key, if the operator allows its key derivation.
    ///
    /// - Throws: ``OAuthError``
    func sessionSigned(
        _ token: CompactJWS
    ) throws(OAuthError) -> (request: SessionSignedRequest.Unverified, token: OpaqueToken) {
        guard let request = try? SessionSignedRequest.Unverified(token) else { throw .malformedSignedRequest }
        guard let primary = OpaqueToken(request.primaryRefreshToken.exposed) else { throw .badGrant }
        guard request.keyDerivationVersion == .two || configuration.compatibility.keyDerivationVersionOne else {
            throw .keyDerivationRequired
        }
        return (request, primary)
    }
}
