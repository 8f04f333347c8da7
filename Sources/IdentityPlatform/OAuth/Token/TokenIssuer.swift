// SPDX-License-Identifier: Apache-2.0
internal import Crypto
package import OAuth
internal import Redaction
package import Storage

/// Creates and signs the tokens of a grant.
package struct TokenIssuer: Sendable {
    let names: IdentityConfiguration.Names
    let lifetimes: IdentityConfiguration.Lifetimes
    let keys: TenantKeys
    let environment: ClockAndRandomness

    /// Returns the lifetime of an access token. A broker's first token is issued before its session is bound to a
    /// device. That device may be a shared one, so the token gets the shorter lifetime.
    package func accessTokenLifetime(_ grant: Grant) -> Duration {
        guard let device = grant.session.device else {
            return grant.client.isBroker ? lifetimes.sharedDeviceAccessToken : lifetimes.accessToken
        }
        return device.isShared ? lifetimes.sharedDeviceAccessToken : lifetimes.accessToken
    }

    /// Returns the `iss` of an organisation's tokens. Entra uses a separate host for version 1. This platform uses the
    /// login host for both versions, so that no other party can ever control the issuer's host.
    package func issuer(_ tenant: TenantID, _ version: TokenVersion = .two) -> String {
        "\(names.origin(of: names.login))/\(tenant)/\(version == .two ? "v2.0" : "")"
    }

    /// Returns an access token, similar to RFC 9068 but with Entra's claims.
    ///
    /// - Throws: ``StorageError``, or an error of the cryptography library.
    package func accessToken(_ grant: Grant) async throws -> String {
        let now = environment.now()
        var claims = common(grant, audience: grant.scope.audience, now, lifetime: accessTokenLifetime(grant))
        claims.set(ClaimName.appID, grant.client.id.rawValue)
        let authentication = grant.client.isPublic ? "0" : "1"
        claims.set(ClaimName.appIDAuthenticationClass, authentication)
        if grant.version == .two {
            claims.set(ClaimName.authorizedParty, grant.client.id.rawValue)
            claims.set(ClaimName.authorizedPartyAuthenticationClass, authentication)
        }
        claims.set(ClaimName.identityType, AccessToken.identityType)
        claims.set(ClaimName.scopes, grant.scope.carried.joined(separator: " "))
        if grant.version == .two { Self.addOlderNames(of: grant, to: &claims) }
        claims.set(ClaimName.directoryRoles, grant.roles.map(\.rawValue))
        if !grant.claims.capabilities.isEmpty { claims.set(ClaimName.clientCapabilities, grant.claims.capabilities) }
        Self.add(grant.claims.accessToken, of: grant, to: &claims)
        return try await signed(claims, grant)
    }

    /// Returns an id token (OpenID Connect Core section 2).
    ///
    /// - Throws: ``StorageError``, or an error of the cryptography library.
    package func idToken(_ grant: Grant) async throws -> String {
        let now = environment.now()
        var claims = common(grant, audience: grant.client.id.rawValue, now, lifetime: lifetimes.accessToken)
        claims.set(ClaimName.nonce, grant.nonce)
        claims.set(ClaimName.authenticationTime, Int(grant.session.begun.seconds))
        claims.set(ClaimName.loginHint, grant.user.userPrincipalName)
        Self.add(Self.claims(of: grant.scope.requested).union(grant.claims.idToken), of: grant, to: &claims)
        return try await signed(claims, grant)
    }

    private func signed(_ claims: MembersWriter, _ grant: Grant) async throws -> String {
        let key = try await keys.current(
            of: grant.tenant.id, grant.client.tokenAlgorithm, among: grant.keys)
        return try (grant.version == .one ? key.olderSigner : key.signer).token(payload: claims.bytes)
    }

    /// Adds the person's names in the claims of version 1.
    private static func addOlderNames(of grant: Grant, to claims: inout MembersWriter) {
        claims.set(ClaimName.userPrincipalName, grant.user.userPrincipalName)
        claims.set(ClaimName.uniqueName, grant.user.userPrincipalName)
    }

    /// Returns the claims that the OpenID Connect scopes add to an id token (OpenID Connect Core section 5.4).
    private static func claims(of scopes: Scopes) -> Set<String> {
        var names: [ClaimName] = []
        if scopes.contains(Scopes.email) { names.append(.email) }
        if scopes.contains(Scopes.profile) { names += [.givenName, .familyName] }
        return Set(names.map(\.rawValue))
    }

    /// Adds the `wanted` claims that the platform knows about the person.
    private static func add(_ wanted: Set<String>, of grant: Grant, to claims: inout MembersWriter) {
        if wanted.contains(ClaimName.email.rawValue) { claims.set(ClaimName.email, grant.user.profile.mail) }
        if wanted.contains(ClaimName.givenName.rawValue) {
            claims.set(ClaimName.givenName, grant.user.profile.givenName)
        }
        if wanted.contains(ClaimName.familyName.rawValue) {
            claims.set(ClaimName.familyName, grant.user.profile.surname)
        }
    }

    /// Returns the claims that access tokens and id tokens share.
    private func common(_ grant: Grant, audience: String, _ now: Timestamp, lifetime: Duration) -> MembersWriter {
        var claims = MembersWriter()
        claims.set(ClaimName.audience, audience)
        claims.set(ClaimName.issuer, issuer(grant.tenant.id, grant.version))
        claims.set(ClaimName.issuedAt, Int(now.seconds))
        claims.set(ClaimName.notBefore, Int(now.seconds))
        claims.set(ClaimName.expiresAt, Int((now + lifetime).seconds))
        claims.set(ClaimName.authenticationMethods, grant.session.methods)
        claims.set(ClaimName.deviceID, grant.session.device?.id.rawValue)
        claims.set(ClaimName.name, grant.user.profile.displayName)
        claims.set(ClaimName.objectID, grant.user.id.rawValue)
        switch grant.version {
        case .one: Self.addOlderNames(of: grant, to: &claims)
        case .two: claims.set(ClaimName.preferredUsername, grant.user.userPrincipalName)
        }
        claims.set(ClaimName.sessionID, grant.session.id.rawValue)
        claims.set(ClaimName.subject, subject(of: grant))
        claims.set(ClaimName.tenantID, grant.tenant.id.rawValue)
        claims.set(ClaimName.tokenID, Base64URL.encode(environment.randomBytes(16)))
        claims.set(ClaimName.version, grant.version.rawValue)
        return claims
    }

    /// Returns the pairwise subject: each application gets a different one for the same person (OpenID Connect Core
    /// section 8.1).
    package func subject(of grant: Grant) -> String {
        Base64URL.encode(
            HMAC<SHA256>.authenticationCode(
                for: grant.client.id.bytes + grant.user.id.bytes,
                using: SymmetricKey(data: grant.tenant.pairwiseSalt)))
    }
}

extension TokenIssuer {
    /// Returns the members of a successful response from the token endpoint (RFC 6749 section 5.1, OpenID Connect Core
    /// 3.1.3.3).
    ///
    /// - Parameters:
    ///   - refreshToken: the refresh token, already stored durably; nil if none is issued.
    ///   - withClientInfo: whether the client sent `client_info=1`.
    /// - Throws: ``StorageError``, or an error of the cryptography library.
    package func reply(
        _ grant: Grant, refreshToken: IssuedRefreshToken?, withClientInfo: Bool
    ) async throws -> MembersWriter {
        let lifetime = Int(accessTokenLifetime(grant).components.seconds)
        var members = MembersWriter()
        members.set(ReplyName.tokenType, "Bearer")
        switch grant.version {
        case .one:
            let now = Int(environment.now().seconds)
            members.set(ReplyName.scope, grant.scope.permissions.joined(separator: " "))
            members.set(ReplyName.expiresIn, String(lifetime))
            members.set(ReplyName.extendedExpiresIn, String(lifetime))
            members.set(ReplyName.expiresOn, String(now + lifetime))
            members.set(ReplyName.notBefore, String(now))
            members.set(ReplyName.resource, grant.scope.audience)
        case .two:
            members.set(ReplyName.scope, grant.scope.granted.text)
            members.set(ReplyName.expiresIn, lifetime)
            members.set(ReplyName.extendedExpiresIn, lifetime)
        }
        members.set(ReplyName.accessToken, try await accessToken(grant))
        if let refreshToken {
            members.set(ReplyName.refreshToken, refreshToken.token.text.exposed)
            members.set(ReplyName.refreshTokenExpiresIn, Int(refreshToken.expires.seconds - environment.now().seconds))
        }
        if grant.scope.isOpenID { members.set(ReplyName.idToken, try await idToken(grant)) }
        if withClientInfo { members.set(ReplyName.clientInfo, Self.clientInfo(grant.user)) }
        return members
    }

    /// Returns the members of a successful response to a grant that was just issued.
    ///
    /// - Throws: ``StorageError``, or an error of the cryptography library.
    func reply(_ issued: IssuedGrant, withClientInfo: Bool) async throws -> MembersWriter {
        try await reply(issued.grant, refreshToken: issued.refreshToken, withClientInfo: withClientInfo)
    }

    /// Returns the ids of the person and of the person's tenant, encoded as `client_info`. Clients build `oid.tid` from
    /// them.
    package static func clientInfo(_ user: User) -> String {
        ClientInfo(userID: user.id.rawValue, tenantID: user.tenant.rawValue).encoded
    }
}
