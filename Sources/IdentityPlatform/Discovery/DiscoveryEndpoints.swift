// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// The documents that clients configure themselves from, and the keys that tokens are checked with.
struct DiscoveryEndpoints: Sendable {
    let platform: Platform

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/{tenant}/v2.0/.well-known/openid-configuration", use: configuration)
        router.get("/{tenant}/discovery/v2.0/keys", use: keys)
    }

    /// OpenID Connect Discovery 1.0 section 3, with Entra's additions.
    @Sendable private func configuration(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let tenant = try await platform.tenant(in: context)
        let names = platform.configuration.names
        // A client takes the first path segment of the token endpoint for its tenant.
        let segment = try tenant?.id.rawValue ?? context.parameters.require("tenant").lowercased()
        let base = "\(names.origin(of: names.login))/\(segment)"
        var document = MembersWriter()
        document.set(Name.issuer, "\(names.origin(of: names.login))/\(tenant?.id.rawValue ?? "{tenantid}")/v2.0")
        document.set(Name.authorizationEndpoint, "\(base)/oauth2/v2.0/authorize")
        document.set(Name.tokenEndpoint, "\(base)/oauth2/v2.0/token")
        document.set(Name.endSessionEndpoint, "\(base)/oauth2/v2.0/logout")
        document.set(Name.keySet, "\(base)/discovery/v2.0/keys")
        document.set(Name.responseTypes, ["code"])
        document.set(Name.responseModes, ["query", "form_post"])
        document.set(Name.grantTypes, platform.grants.flatMap(\.grantTypes).map(\.rawValue))
        document.set(Name.subjectTypes, ["pairwise"])
        document.set(Name.idTokenAlgorithms, ["RS256"])
        document.set(Name.challengeMethods, [ProofKey.method])
        document.set(Name.scopes, [Scopes.openID, Scopes.profile, Scopes.email, Scopes.offlineAccess])
        document.set(Name.clientAuthentication, ["none"])
        document.set(Name.claims, Self.claims.map(\.rawValue))
        document.set(Name.requestURIParameter, false)
        document.set(Name.capabilities, ["kdf_ver2"])
        document.set(Name.graphHost, names.graph)
        return Response(json: document)
    }

    /// The key set of one organisation (RFC 7517 section 5), or of all where the address names none: their key ids differ.
    @Sendable private func keys(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let tenants: [TenantID]
        if let tenant = try await platform.tenant(in: context) {
            tenants = [tenant.id]
        } else {
            tenants = try await platform.database.read { try Tenants($0).all().map(\.id) }
        }
        var keys: [TenantKey] = []
        for tenant in tenants { keys += try await platform.keys.all(of: tenant) }
        return Response(json: JSONWebKeySet(keys.map(\.published)).encoded)
    }

    private static let claims: [ClaimName] = [
        .audience, .authenticationMethods, .authenticationTime, .deviceID, .email, .expiresAt, .issuedAt,
        .issuer, .name, .nonce, .objectID, .preferredUsername, .sessionID, .subject, .tenantID, .version,
    ]

    private enum Name: String, WireName {
        case authorizationEndpoint = "authorization_endpoint"
        case capabilities
        case challengeMethods = "code_challenge_methods_supported"
        case claims = "claims_supported"
        case clientAuthentication = "token_endpoint_auth_methods_supported"
        case endSessionEndpoint = "end_session_endpoint"
        case grantTypes = "grant_types_supported"
        case graphHost = "msgraph_host"
        case idTokenAlgorithms = "id_token_signing_alg_values_supported"
        case issuer
        case keySet = "jwks_uri"
        case requestURIParameter = "request_uri_parameter_supported"
        case responseModes = "response_modes_supported"
        case responseTypes = "response_types_supported"
        case scopes = "scopes_supported"
        case subjectTypes = "subject_types_supported"
        case tokenEndpoint = "token_endpoint"
    }
}
