// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import OAuth
internal import Storage

/// The contents of a token for an application that acts for itself.
struct ApplicationGrant: Sendable {
    let tenant: Tenant
    let client: Client
    /// The identifier by which the client named the resource.
    let audience: String
    let permissions: [String]
    /// The organisation's signing keys, if they were read together with the other data.
    let keys: [TenantKey]?

    /// The object id of the application in its organisation. It is derived, so it needs no row, and is the same in each
    /// token.
    var objectID: ID<ApplicationGrant> {
        ID(
            version4: Array(
                HMAC<SHA256>.authenticationCode(
                    for: Array("service principal".utf8) + client.id.bytes,
                    using: SymmetricKey(data: tenant.pairwiseSalt)
                ).prefix(16)))
    }
}

extension TokenIssuer {
    /// Returns the members of a response with a token for an application. Both generations of the endpoint return the
    /// form of version 2.
    ///
    /// - Throws: ``StorageError``, or an error of the cryptography library.
    func reply(_ grant: ApplicationGrant) async throws -> MembersWriter {
        let lifetime = Int(lifetimes.accessToken.components.seconds)
        var members = MembersWriter()
        members.set(ReplyName.tokenType, "Bearer")
        members.set(ReplyName.expiresIn, lifetime)
        members.set(ReplyName.extendedExpiresIn, lifetime)
        members.set(ReplyName.accessToken, try await token(grant))
        return members
    }

    /// Returns a signed token. It does not name a person or a session, and has its permissions in `roles`, not in `scp`.
    private func token(_ grant: ApplicationGrant) async throws -> String {
        let now = environment.now()
        let (client, object) = (grant.client.id.rawValue, grant.objectID.rawValue)
        var claims = MembersWriter()
        claims.set(ClaimName.audience, grant.audience)
        claims.set(ClaimName.issuer, issuer(grant.tenant.id))
        claims.set(ClaimName.issuedAt, Int(now.seconds))
        claims.set(ClaimName.notBefore, Int(now.seconds))
        claims.set(ClaimName.expiresAt, Int((now + lifetimes.accessToken).seconds))
        claims.set(ClaimName.appID, client)
        claims.set(ClaimName.appIDAuthenticationClass, Self.signedAssertion)
        claims.set(ClaimName.authorizedParty, client)
        claims.set(ClaimName.authorizedPartyAuthenticationClass, Self.signedAssertion)
        claims.set(ClaimName.identityType, ApplicationToken.identityType)
        claims.set(ClaimName.objectID, object)
        claims.set(ClaimName.roles, grant.permissions)
        claims.set(ClaimName.subject, object)
        claims.set(ClaimName.tenantID, grant.tenant.id.rawValue)
        claims.set(ClaimName.tokenID, Base64URL.encode(environment.randomBytes(16)))
        claims.set(ClaimName.version, TokenVersion.two.rawValue)
        let key = try await keys.current(of: grant.tenant.id, grant.client.tokenAlgorithm, among: grant.keys)
        return try key.signer.token(payload: claims.bytes)
    }

    /// The value of `azpacr` for a client that has authenticated with a signed assertion.
    private static var signedAssertion: String { "2" }
}
