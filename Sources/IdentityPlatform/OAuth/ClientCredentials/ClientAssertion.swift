// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import JSON
internal import OAuth
internal import Storage

/// A signed statement by which an application authenticates (`private_key_jwt`, RFC 7523 section 2.2).
struct ClientAssertion: Sendable {
    /// The client that the assertion names. Do not trust it before ``key(among:)``.
    let client: ClientID
    private let token: CompactJWS
    private let audience: String
    private let id: String
    private let expires: Int64
    /// The earliest time at which the assertion may be used, in seconds since 1970.
    private let begin: Int64

    /// The algorithms of the signature.
    static let algorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256]
    /// The value of `client_assertion_type`.
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// How many seconds before its end an assertion may be used.
    static let longest: Int64 = 600
    /// How many seconds the client's clock may be ahead of ours.
    static let tolerance: Int64 = 60

    /// Parses the assertion in a form.
    ///
    /// - Throws: ``OAuthError``
    init(_ form: FormParameters) throws(OAuthError) {
        guard let text = form[ParameterName.clientAssertion] else { throw .missingAssertion }
        guard form[ParameterName.clientAssertionType] == Self.type,
            let token = try? CompactJWS(text, limit: 8192), let claims = try? token.claims(),
            let issuer = try? claims.string(ClaimName.issuer), let subject = try? claims.string(ClaimName.subject),
            let id = try? claims.string(ClaimName.jwtID), !id.isEmpty,
            // An assertion for several servers could be used here by each of the others.
            let audiences = try? claims.stringOrStrings(ClaimName.audience), audiences.count == 1,
            // A time is a number (RFC 7519 section 2).
            ![ClaimName.expiresAt, .notBefore, .issuedAt].contains(where: { claims[$0]?.string != nil }),
            let expires = try? claims.lenientInteger(ClaimName.expiresAt),
            let begins = try? [ClaimName.notBefore, .issuedAt].compactMap({ try claims.lenientInteger($0) })
        else { throw .malformedAssertion }
        guard let client = ClientID(rawValue: subject), ClientID(rawValue: issuer) == client,
            form[ParameterName.clientID].map({ ClientID(rawValue: $0) == client }) ?? true
        else { throw .assertionOfOther }
        (self.client, self.token, self.id, self.expires) = (client, token, id, Int64(expires))
        audience = audiences[0]
        begin = Int64(begins.max() ?? 0)
    }

    /// Returns the key of the client that has signed the assertion.
    ///
    /// A client has few keys, so all of them are tried. Clients name their keys in different ways (`kid`, `x5t`,
    /// `x5t#S256`, `x5c`), and some not at all.
    ///
    /// - Throws: ``OAuthError`` `assertionSignature`, ``StorageError``
    func key(among keys: [ClientKey]) throws -> ClientKey {
        for key in keys {
            let verification = try key.verificationKey(for: token.algorithm)
            do throws(JOSEFailure) {
                try token.verify(with: verification)
                return key
            } catch { continue }
        }
        throw OAuthError.assertionSignature
    }

    /// Checks that the assertion was made for this server and this organisation.
    ///
    /// - Throws: ``OAuthError`` `assertionAudience`
    func judgeAudience(_ tenant: Tenant, issuer: TokenIssuer) throws(OAuthError) {
        if [TokenVersion.two, .one].contains(where: { issuer.issuer(tenant.id, $0) == audience }) { return }
        // The port is ignored, because a proxy in front of the server may use a different port.
        let endpoints = PublishedEndpoint.token.paths(.two) + PublishedEndpoint.token.paths(.one)
        let paths = [tenant.id.rawValue, tenant.domain].flatMap { name in endpoints.map { "/\(name)\($0)" } }
        guard let address = HTTPSAddress(audience), address.host == issuer.names.login,
            paths.contains(address.path.lowercased())
        else { throw .assertionAudience }
    }

    /// Checks that the assertion may be used at this time.
    ///
    /// - Throws: ``OAuthError`` `assertionTime`
    func judgeTime(at now: Timestamp) throws(OAuthError) {
        let now = now.seconds
        guard begin <= now + Self.tolerance, now < expires, expires <= now + Self.longest + Self.tolerance else {
            throw .assertionTime
        }
    }

    /// What is stored of an assertion that was used. The signature is not stored, because with some algorithms anyone
    /// can turn a valid signature into a different valid one.
    var used: UsedAssertion {
        UsedAssertion(
            client: client, hash: Array(SHA256.hash(data: Array(id.utf8))),
            expires: Timestamp(seconds: expires + Self.tolerance))
    }
}
