// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage
internal import WebPages

/// Serves the discovery documents for clients.
struct DiscoveryEndpoints: Sendable {
    let names: IdentityConfiguration.Names
    let database: any Database
    let directory: DirectoryCache
    let keys: TenantKeys
    let issuer: TokenIssuer
    let pages: Pages
    /// The grant types of the token endpoint.
    let grantTypes: [GrantType]
    /// The served paths of the login host and of the Graph host.
    let login: ServedPaths
    let graph: ServedPaths

    init(_ platform: Platform, login: ServedPaths, graph: ServedPaths) {
        (names, database) = (platform.configuration.names, platform.database)
        (directory, keys) = (platform.directoryCache, platform.keys)
        (issuer, pages) = (platform.issuer, platform.pages)
        grantTypes = platform.grants.flatMap(\.grantTypes)
        (self.login, self.graph) = (login, graph)
    }

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/{tenant}/v2.0/.well-known/openid-configuration") { _, context in
            try await configuration(.two, context)
        }
        router.get("/{tenant}/.well-known/openid-configuration") { _, context in
            try await configuration(.one, context)
        }
        InstanceDiscovery(names: names).addRoutes(to: router)
        UserRealm(database: database, names: names).addRoutes(to: router)
        router.get("/{tenant}/oauth2/nativeclient") { request, _ in
            pages.message(.signedIn, .signedInText, in: Pages.setting(request))
        }
    }

    /// Returns the document of OpenID Connect Discovery 1.0 section 3, with Entra's additions.
    private func configuration(
        _ version: TokenVersion, _ context: IdentityContext
    ) async throws -> Response {
        let tenant = try await directory.tenant(in: context)
        // Clients take the first path segment of the token endpoint as their tenant.
        let segment = try tenant?.id.rawValue ?? context.parameters.require("tenant").lowercased()
        var document = MembersWriter()
        document.set(
            Name.issuer, tenant.map { issuer.issuer($0.id, version) } ?? issuer.template(version))
        for endpoint in PublishedEndpoint.allCases {
            document.set(endpoint, address(of: endpoint, version, segment))
        }
        document.set(Name.responseTypes, ["code"])
        document.set(Name.responseModes, AuthorizeRequest.Mode.allCases.map(\.rawValue))
        document.set(Name.grantTypes, grantTypes.map(\.rawValue))
        document.set(Name.subjectTypes, ["pairwise"])
        document.set(Name.idTokenAlgorithms, try await algorithms(tenant))
        document.set(Name.challengeMethods, [ProofKey.method])
        document.set(Name.prompts, Prompt.words.map(\.word))
        document.set(Name.locales, Language.allCases.map(\.rawValue))
        document.set(Name.scopes, [Scopes.openID, Scopes.profile, Scopes.email, Scopes.offlineAccess])
        let secrets = ["none", "client_secret_basic", "client_secret_post"]
        if grantTypes.contains(.clientCredentials) {
            document.set(Name.clientAuthentication, secrets + ["private_key_jwt"])
            document.set(Name.assertionAlgorithms, ClientAssertion.algorithms.map(\.rawValue))
        } else {
            document.set(Name.clientAuthentication, secrets)
        }
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
        return Set(try await keys.all(of: tenant.id).map(\.verification.algorithm.rawValue)).sorted(by: >)
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
        case assertionAlgorithms = "token_endpoint_auth_signing_alg_values_supported"
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
