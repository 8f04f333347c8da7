// SPDX-License-Identifier: Apache-2.0
package import Hummingbird
package import OAuth
package import Storage

/// A request at the token endpoint, its form read and its tenant looked up.
package struct TokenRequest: Sendable {
    /// The tenant of the address; `nil` for `common` and `organizations` on a server with several.
    package let tenant: Tenant?
    /// Which generation of the endpoint it came to, and so how its reply and its tokens are written.
    package let version: TokenVersion
    package let form: FormParameters
    /// The `Authorization` header, by which a client may prove itself.
    let authorization: String?
    package let peer: PeerAddress

    /// The tenant of a token that the request holds, which must be the one of the address if that names one.
    ///
    /// - Throws: ``OAuthError``
    package func tenant(of token: OpaqueToken) throws(OAuthError) -> TenantID {
        guard tenant == nil || tenant?.id == token.tenant else { throw .badGrant }
        return token.tenant
    }

    /// Who the client says it is.
    ///
    /// - Throws: ``OAuthError``
    func credentials() throws(OAuthError) -> ClientCredentials {
        try ClientCredentials(form: form, authorization: authorization)
    }
}

/// One or more values of `grant_type` and what to do about them; the platform's list of these is its token endpoint.
package protocol GrantHandler: Sendable {
    /// The wire values it answers.
    var grantTypes: [GrantType] { get }

    /// Answers a request, with everything durable that the answer promises.
    ///
    /// - Throws: ``OAuthError`` for the client, anything else becomes `server_error`.
    func respond(to request: TokenRequest) async throws -> Response
}
