// SPDX-License-Identifier: Apache-2.0
internal import AsyncHTTPClient
internal import NIOHTTP1
internal import OAuth
internal import Redaction

/// The server at which administrators sign in, as the administration names it (RFC 9728, OpenID Connect Discovery).
struct AuthorizationServer: Sendable {
    /// The issuer of its tokens. If it serves several tenants, `{tenantid}` stands for the tenant.
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let deviceAuthorizationEndpoint: String?
    let revocationEndpoint: String?
    let web: WebClient

    private static let limit = 64 << 10

    /// Asks the administration for its authorization server, and that server for its endpoints.
    ///
    /// - Parameter tenant: the tenant's id or domain; nil leaves the choice to the server.
    /// - Throws: ``CommandFailure``.
    static func discover(
        for administration: ServerURL, tenant: String?, through web: WebClient
    ) async throws -> AuthorizationServer {
        let login = try await loginURL(of: administration, through: web)
        let address = login.origin + (try path(login.path, for: tenant))
        let reply = try await get(address + "/.well-known/openid-configuration", at: login.origin, through: web)
        guard reply.status == 200, reply.hasType("application/json"),
            let document = try? Members(decoding: reply.body, limit: limit)
        else {
            let refusal = (try? Members(decoding: reply.body, limit: limit)).flatMap { OAuthError($0) }
            guard let tenant, refusal?.number == OAuthError.unknownTenantNumber else {
                throw unusable(login.origin, "it does not describe itself")
            }
            throw CommandFailure(
                code: "tenant_missing", message: "The server at \(login.origin) has no tenant \(tenant).",
                remedy: "Give the tenant's domain or its id with --tenant.")
        }
        return try AuthorizationServer(document, at: login.origin, through: web)
    }

    /// Reads the description of the protected resource (RFC 9728 section 3.2).
    private static func loginURL(of administration: ServerURL, through web: WebClient) async throws -> ServerURL {
        let origin = administration.origin
        let reply = try await get(origin + "/.well-known/oauth-protected-resource", at: origin, through: web)
        guard reply.status == 200, reply.hasType("application/json"),
            let document = try? Members(decoding: reply.body, limit: limit),
            let resource = try? document.string(DocumentName.resource)
        else {
            throw CommandFailure(
                code: "server_not_administration",
                message: "\(origin) is not the administration of a Baton server: it does not say where to sign in.",
                remedy: "Give the host names.administration and the port administrationPort of the server's "
                    + "configuration with --url.")
        }
        // RFC 9728 section 3.3: the description of another resource must not be used.
        guard ServerURL(resource) == administration else {
            throw CommandFailure(
                code: "server_not_administration",
                message: "\(origin) describes the administration of another address.",
                remedy: "Give the address in the server's configuration (names.administration) with --url.")
        }
        guard let text = try? document.strings(DocumentName.authorizationServers)?.first, let login = ServerURL(text)
        else { throw unusable(origin, "it names no https address for signing in") }
        return login
    }

    /// Returns the path with a tenant in the place of its first segment, which names all tenants.
    private static func path(_ path: String, for tenant: String?) throws -> String {
        guard let tenant else { return path }
        guard !["", ".", ".."].contains(tenant), tenant.utf8.allSatisfy({ Self.nameCharacters.contains($0) }) else {
            throw CommandFailure(
                code: "tenant_malformed", message: "The name of the tenant is malformed.",
                remedy: "Give its domain or its id with --tenant.")
        }
        return "/" + ([tenant] + path.split(separator: "/").dropFirst().map(String.init)).joined(separator: "/")
    }

    private static let nameCharacters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-".utf8)

    private init(_ document: Members, at origin: String, through web: WebClient) throws {
        // An endpoint elsewhere would get codes and tokens that are meant for this server.
        func endpoint(_ name: DocumentName) throws -> String? {
            guard let text = try? document.optionalString(name) else { return nil }
            guard let url = ServerURL(text), url.origin == origin else {
                throw Self.unusable(origin, "the endpoint \(name.rawValue) is on another server")
            }
            return url.text
        }
        guard let authorization = try endpoint(.authorizationEndpoint), let token = try endpoint(.tokenEndpoint),
            let issuer = try? document.string(DocumentName.issuer), issuer.hasPrefix(origin + "/")
        else { throw Self.unusable(origin, "its description is incomplete") }
        let challenges = (try? document.strings(DocumentName.challengeMethods)) ?? []
        guard challenges.contains(ProofKey.method) else { throw Self.unusable(origin, "it does not support PKCE") }
        (self.issuer, authorizationEndpoint, tokenEndpoint) = (issuer, authorization, token)
        deviceAuthorizationEndpoint = try endpoint(.deviceAuthorizationEndpoint)
        revocationEndpoint = try endpoint(.revocationEndpoint)
        self.web = web
    }

    /// Returns the issuer of a tenant's tokens.
    func issuer(of tenant: String) -> String { issuer.replacing("{tenantid}", with: tenant) }

    // MARK: - Requests

    private static func get(_ url: String, at origin: String, through web: WebClient) async throws -> WebClient.Reply {
        do { return try await web.send(HTTPClientRequest(url: url), limit: limit) } catch let failure as WebFailure {
            throw failure.failure(at: origin)
        }
    }

    /// Requests tokens.
    ///
    /// - Throws: ``OAuthError`` for a refusal, ``WebFailure`` without an answer, else ``CommandFailure``.
    func tokens(for form: FormParameters) async throws -> TokenReply {
        try TokenReply(try await Self.post(form, to: tokenEndpoint, through: web), from: tokenEndpoint)
    }

    /// Posts a form and returns the members of the answer.
    ///
    /// - Throws: as ``tokens(for:)``.
    static func post(_ form: FormParameters, to endpoint: String, through web: WebClient) async throws -> Members {
        var reply = try await send(form, to: endpoint, through: web)
        defer { wipe(&reply.body) }
        let members = reply.hasType("application/json") ? try? Members(decoding: reply.body, limit: limit) : nil
        guard reply.status == 200, let members else {
            if let error = members.flatMap({ OAuthError($0) }) { throw error }
            throw unusable(endpoint, "it answers with status \(reply.status)")
        }
        return members
    }

    /// Revokes a refresh token (RFC 7009).
    ///
    /// - Throws: as ``tokens(for:)``.
    static func revoke(_ token: Sensitive<String>, at endpoint: String, through web: WebClient) async throws {
        var form = FormParameters()
        form.append(ParameterName.clientID, AdministrationApp.clientID)
        form.append(ParameterName.token, token.exposed)
        let reply = try await send(form, to: endpoint, through: web)
        guard reply.status == 200 else {
            if let members = try? Members(decoding: reply.body, limit: limit), let error = OAuthError(members) {
                throw error
            }
            throw unusable(endpoint, "it answers with status \(reply.status)")
        }
    }

    private static func send(
        _ form: FormParameters, to endpoint: String, through web: WebClient
    ) async throws -> WebClient.Reply {
        var request = HTTPClientRequest(url: endpoint)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.headers.add(name: "Accept", value: "application/json")
        request.body = .bytes(Array(form.encoded.utf8))
        return try await web.send(request, limit: limit)
    }

    /// The failure for a server at which nobody can sign in.
    ///
    /// - Parameters:
    ///   - address: the server's address.
    ///   - reason: why, as the end of a sentence.
    static func unusable(_ address: String, _ reason: String) -> CommandFailure {
        let origin = ServerURL(address)?.origin ?? address
        return CommandFailure(
            code: "sign_in_server", message: "Nobody can sign in at \(origin): \(reason).",
            remedy: "Look at the server's log, and use baton and baton-server of the same release.")
    }

    /// The failure for a request that the server can only carry out for a named tenant.
    static let tenantUnnamed = CommandFailure(
        code: "tenant_unnamed", message: "The server has several tenants, and this sign-in does not say which one.",
        remedy: "Give the tenant's domain or its id with --tenant.")

    private enum DocumentName: String, WireName {
        case authorizationEndpoint = "authorization_endpoint"
        case authorizationServers = "authorization_servers"
        case challengeMethods = "code_challenge_methods_supported"
        case deviceAuthorizationEndpoint = "device_authorization_endpoint"
        case issuer
        case resource
        case revocationEndpoint = "revocation_endpoint"
        case tokenEndpoint = "token_endpoint"
    }
}
