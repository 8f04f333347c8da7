// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage
internal import WebPages

/// Serves the discovery documents for clients, and the keys with which clients verify tokens.
struct DiscoveryEndpoints: Sendable {
    let platform: Platform
    /// The served paths of the login host and of the Graph host.
    let login: ServedPaths
    let graph: ServedPaths

    static func addKeyRoutes(to router: Router<IdentityContext>, _ platform: Platform) {
        for path in PublishedEndpoint.keySet.routes {
            router.get(path) { _, context in try await keys(platform, context) }
        }
    }

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/{tenant}/v2.0/.well-known/openid-configuration") { _, context in
            try await configuration(.two, context)
        }
        router.get("/{tenant}/.well-known/openid-configuration") { _, context in
            try await configuration(.one, context)
        }
        InstanceDiscovery(names: platform.configuration.names).addRoutes(to: router)
        UserRealm(database: platform.database, names: platform.configuration.names).addRoutes(to: router)
        router.get("/{tenant}/oauth2/nativeclient") { request, _ in
            platform.pages.message(.signedIn, .signedInText, in: Pages.setting(request))
        }
    }

    /// Returns the document of OpenID Connect Discovery 1.0 section 3, with Entra's additions.
    private func configuration(
        _ version: TokenVersion, _ context: IdentityContext
    ) async throws -> Response {
        let tenant = try await platform.directoryCache.tenant(in: context)
        // Clients take the first path segment of the token endpoint as their tenant.
        let segment = try tenant?.id.rawValue ?? context.parameters.require("tenant").lowercased()
        let names = platform.configuration.names
        var document = MembersWriter()
        document.set(
            Name.issuer, tenant.map { platform.issuer.issuer($0.id, version) } ?? platform.issuer.template(version))
        for endpoint in PublishedEndpoint.allCases {
            document.set(endpoint, address(of: endpoint, version, segment))
        }
        document.set(Name.responseTypes, ["code"])
        document.set(Name.responseModes, AuthorizeRequest.Mode.allCases.map(\.rawValue))
        document.set(Name.grantTypes, platform.grants.flatMap(\.grantTypes).map(\.rawValue))
        document.set(Name.subjectTypes, ["pairwise"])
        document.set(Name.idTokenAlgorithms, try await algorithms(tenant))
        document.set(Name.challengeMethods, [ProofKey.method])
        document.set(Name.prompts, Prompt.words.map(\.word))
        document.set(Name.locales, Language.allCases.map(\.rawValue))
        document.set(Name.scopes, [Scopes.openID, Scopes.profile, Scopes.email, Scopes.offlineAccess])
        document.set(Name.clientAuthentication, ["none", "client_secret_basic", "client_secret_post"])
        document.set(Name.claims, Self.claims.map(\.rawValue))
        document.set(Name.claimsParameter, true)
        document.set(Name.requestParameter, false)
        document.set(Name.requestURIParameter, false)
        document.set(Name.issuerParameter, true)
        document.set(Name.capabilities, ["kdf_ver2"])
        document.set(Name.cloudName, names.login)
        document.set(Name.cloudGraphHost, names.graph)
        document.set(Name.graphHost, names.graph)
        return Response(json: document)
    }

    /// Returns an endpoint's address; nil if the endpoint is not served.
    private func address(
        of endpoint: PublishedEndpoint, _ version: TokenVersion, _ segment: String
    ) -> String? {
        let names = platform.configuration.names
        for path in endpoint.paths(version) {
            if login.contains("/{tenant}\(path)") { return "\(names.origin(of: names.login))/\(segment)\(path)" }
        }
        return endpoint == .userInfo && graph.contains(Self.graphUserInfo)
            ? names.origin(of: names.graph) + Self.graphUserInfo : nil
    }

    private static let graphUserInfo = "/oidc/userinfo"

    /// Returns the signature algorithms of an organisation's keys.
    private func algorithms(_ tenant: Tenant?) async throws -> [String] {
        guard let tenant else { return [SignatureAlgorithm.rs256.rawValue] }
        return Set(try await platform.keys.all(of: tenant.id).map(\.verification.algorithm.rawValue)).sorted(by: >)
    }

    /// Returns the key set of one organisation (RFC 7517 section 5), or the keys of all organisations if the URL does
    /// not name an organisation. Key ids are unique across organisations.
    private static func keys(_ platform: Platform, _ context: IdentityContext) async throws -> Response {
        let tenants: [TenantID]
        if let tenant = try await platform.directoryCache.tenant(in: context) {
            tenants = [tenant.id]
        } else {
            tenants = try await platform.database.read { try Tenants($0).all().map(\.id) }
        }
        var keys: [TenantKey] = []
        for tenant in tenants { keys += try await platform.keys.all(of: tenant) }
        return Response(json: JSONWebKeySet(keys.map(\.published)).encoded)
    }

    private static let claims: [ClaimName] = [
        .audience, .authenticationMethods, .authenticationTime, .deviceID, .email, .expiresAt, .familyName, .givenName,
        .issuedAt, .issuer, .loginHint, .name, .nonce, .notBefore, .objectID, .preferredUsername, .sessionID, .subject,
        .tenantID, .tokenID, .version,
    ]

    private enum Name: String, WireName {
        case capabilities
        case challengeMethods = "code_challenge_methods_supported"
        case claims = "claims_supported"
        case claimsParameter = "claims_parameter_supported"
        case clientAuthentication = "token_endpoint_auth_methods_supported"
        case cloudGraphHost = "cloud_graph_host_name"
        case cloudName = "cloud_instance_name"
        case grantTypes = "grant_types_supported"
        case graphHost = "msgraph_host"
        case idTokenAlgorithms = "id_token_signing_alg_values_supported"
        case issuer
        case issuerParameter = "authorization_response_iss_parameter_supported"
        case locales = "ui_locales_supported"
        case prompts = "prompt_values_supported"
        case requestParameter = "request_parameter_supported"
        case requestURIParameter = "request_uri_parameter_supported"
        case responseModes = "response_modes_supported"
        case responseTypes = "response_types_supported"
        case scopes = "scopes_supported"
        case subjectTypes = "subject_types_supported"
    }
}

extension TokenIssuer {
    /// Returns the issuer for a document whose URL names no organisation. As with Entra, it is a template into which
    /// clients insert the token's tenant.
    func template(_ version: TokenVersion) -> String {
        "\(names.origin(of: names.login))/{tenantid}/\(version == .two ? "v2.0" : "")"
    }
}
