// SPDX-License-Identifier: Apache-2.0
package import OAuth
package import Storage

/// Verifies bearer tokens for the platform's own resources.
///
/// `check` accepts only tokens that were issued for a person, because they name a session. A resource that also accepts
/// applications uses ``bearer(authorization:for:)``.
package struct AccessTokens: Sendable {
    let issuer: TokenIssuer
    let database: any Database
    let directoryCache: DirectoryCache
    let environment: ClockAndRandomness

    /// Why a bearer token was refused. The reason does not reveal whose token it is.
    package enum Refusal: Error, Equatable {
        case missing, malformed, signature, audience, expired, ended
    }

    /// Verifies the token in an `Authorization` header: its signature, issuer, audience and time. Its session must
    /// still be valid (``SessionRule``), and its application must still be registered and enabled. The returned roles
    /// are the person's current ones, not those at the time of issue.
    ///
    /// - Throws: ``Refusal``, ``StorageError``
    package func check(authorization: String?, for resource: Resource) async throws -> AccessToken {
        try await check(try Self.bearer(authorization), for: [resource])
    }

    /// Returns the token in an `Authorization` header.
    ///
    /// - Throws: ``Refusal``
    static func bearer(_ authorization: String?) throws(Refusal) -> String {
        guard let authorization else { throw .missing }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .malformed }
        return String(parts[1])
    }

    /// Parses a token. Do not trust its claims before ``verify(_:_:)``.
    ///
    /// - Throws: ``Refusal``
    func parse(_ text: String) throws(Refusal) -> (CompactJWS, Members) {
        guard let token = try? CompactJWS(text), let claims = try? token.claims() else { throw .malformed }
        return (token, claims)
    }

    /// Verifies a token for one of several resources.
    ///
    /// - Throws: ``Refusal``, ``StorageError``
    func check(_ text: String, for resources: [Resource]) async throws -> AccessToken {
        let (token, claims) = try parse(text)
        guard let tenant = TenantID(rawValue: try self.text(claims, .tenantID)),
            let user = UserID(rawValue: try self.text(claims, .objectID)),
            let session = SessionID(rawValue: try self.text(claims, .sessionID)),
            let client = ClientID(rawValue: try self.text(claims, .appID))
        else { throw Refusal.malformed }
        guard try self.text(claims, .identityType) == AccessToken.identityType else { throw Refusal.malformed }
        try await verify(token, tenant)
        try judge(claims, of: tenant, for: resources)
        let permissions = try self.text(claims, .scopes).split(separator: " ").map(String.init)
        let view = directoryCache.view
        return try await database.read { connection in
            // The time is checked within the transaction, because no transaction begins while the clock of this machine
            // is wrong.
            try judgeTime(of: claims)
            guard try issuer.keys.isPublished(token.keyID, by: tenant, connection) else { throw Refusal.signature }
            guard try Clients(connection, view).find(client, tenant: tenant)?.isEnabled == true else {
                throw Refusal.ended
            }
            let live: LiveSession
            do { live = try LiveSession(session, tenant: tenant, connection) } catch is OAuthError {
                throw Refusal.ended
            }
            guard live.person.id == user else { throw Refusal.ended }
            return AccessToken(
                tenant: tenant, user: live.person, session: live.session, client: client, permissions: permissions,
                roles: try HeldRoles(of: user, tenant: tenant, at: environment.now(), connection), claims: claims)
        }
    }

    /// Verifies the signature with a key of the organisation.
    ///
    /// - Throws: ``Refusal``, ``StorageError``
    func verify(_ token: CompactJWS, _ tenant: TenantID) async throws {
        guard let id = token.keyID, let key = try await issuer.keys.key(id, of: tenant) else {
            throw Refusal.signature
        }
        do { try token.verify(with: key.verification) } catch { throw Refusal.signature }
    }

    /// Checks that this server issued the token for one of the resources.
    ///
    /// - Throws: ``Refusal``
    func judge(_ claims: Members, of tenant: TenantID, for resources: [Resource]) throws {
        guard let version = TokenVersion(rawValue: try self.text(claims, .version)),
            try self.text(claims, .issuer) == issuer.issuer(tenant, version)
        else { throw Refusal.signature }
        let audience = try self.text(claims, .audience).lowercased()
        guard resources.contains(where: { $0.identifiers.contains(audience) }) else { throw Refusal.audience }
    }

    /// Checks that the token is valid now.
    ///
    /// - Throws: ``Refusal``
    func judgeTime(of claims: Members) throws {
        guard let begin = try? claims.integer(ClaimName.notBefore), let end = try? claims.integer(ClaimName.expiresAt)
        else { throw Refusal.malformed }
        let now = environment.now().seconds
        guard Int64(begin) <= now, now < Int64(end) else { throw Refusal.expired }
    }

    /// Returns the text of a claim.
    ///
    /// - Throws: ``Refusal``
    func text(_ claims: Members, _ name: ClaimName) throws -> String {
        do { return try claims.string(name) } catch { throw Refusal.malformed }
    }
}

/// An access token that one of the platform's own resources has verified.
package struct AccessToken: Sendable {
    package let tenant: TenantID
    package let user: User
    package let session: Session
    package let client: ClientID
    package let permissions: [String]
    package let roles: HeldRoles
    /// All claims of the token.
    package let claims: Members

    /// The value of `idtyp` in these tokens.
    static let identityType = "user"
}

extension AccessToken {
    /// Checks again, in the transaction of an act, that the token's session is valid and its application is enabled.
    ///
    /// - Throws: ``AccessTokens/Refusal``, ``StorageError``
    package func confirm(_ connection: any Connection) throws {
        guard try Clients(connection).find(client, tenant: tenant)?.isEnabled == true else {
            throw AccessTokens.Refusal.ended
        }
        do { _ = try LiveSession(session.id, tenant: tenant, connection) } catch is OAuthError {
            throw AccessTokens.Refusal.ended
        }
    }
}
