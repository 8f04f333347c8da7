// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOHTTP1
import OAuth
import Synchronization

@testable import baton_server

/// The administration of a server and its authorization server, at one address. It accepts each code and each refresh
/// token once. After the second use of a refresh token, it accepts no token of the sign-in.
final class FakeAdministration: Sendable {
    struct State {
        /// Answers before the usual answers are considered.
        var answer: @Sendable (FakeServer.Request) -> FakeServer.Answer? = { _ in nil }
        /// Changes members of the documents and of the claims of id tokens, by name.
        var changes: [String: String] = [:]
        var lifetime = 3600
        /// How often a client with a device code is told to wait.
        var pending = 0
        /// The requests that the browser made.
        var authorizations: [FormParameters] = []
        /// The requests for tokens, and those of revocations.
        var grants: [FormParameters] = []
        /// The requests to the administration.
        var calls: [FakeServer.Request] = []
        fileprivate var codes: [String: FormParameters] = [:]
        fileprivate var accessTokens: Set<String> = []
        fileprivate var refreshToken: String?
        fileprivate var usedTokens: Set<String> = []
        var isRefreshTokenReused = false
    }

    let state = Mutex(State())
    /// The poll of a client with a device code.
    let polls: AsyncStream<Void>
    private let polled: AsyncStream<Void>.Continuation
    private let origin = Mutex("")

    static let tenant = "0a0a0a0a-0000-4000-8000-000000000001"
    static let person = "0a0a0a0a-0000-4000-8000-000000000002"
    static let token = "canary-token-"

    init() { (polls, polled) = AsyncStream.makeStream(of: Void.self) }

    /// Begins to listen, and returns the server.
    func listen(_ authority: DevelopmentAuthority) async throws -> FakeServer {
        let server = try await FakeServer(authority) { [self] in answer(to: $0) }
        origin.withLock { $0 = "https://localhost:\(server.port)" }
        return server
    }

    /// Makes every access token invalid.
    func expireTokens() { state.withLock { $0.accessTokens = [] } }

    private func answer(to request: FakeServer.Request) -> FakeServer.Answer {
        let origin = origin.withLock(\.self)
        return state.withLock { state in
            if let chosen = state.answer(request) {
                if !request.path.hasPrefix("/.well-known"), !request.path.contains("/v2.0") {
                    state.calls.append(request)
                }
                return chosen
            }
            let form = (try? FormParameters(parsing: request.body.utf8)) ?? FormParameters()
            switch request.path {
            case "/.well-known/oauth-protected-resource":
                return document(
                    [
                        "resource": origin, "authorization_servers": [origin + "/organizations/v2.0"],
                        "scopes_supported": ["User.Read.All"],
                    ], state)
            case let path where path.hasSuffix("/v2.0/.well-known/openid-configuration"):
                return discovery(origin, state)
            case let path where path.hasSuffix("/authorize"): return authorize(request, origin, &state)
            case let path where path.hasSuffix("/devicecode"):
                state.grants.append(form)
                return .json(
                    #"{"device_code":"d","user_code":"ABCD-EFGH","verification_uri":"\#(origin)/device","expires_in":900,"interval":0}"#
                )
            case let path where path.hasSuffix("/token"): return token(form, origin, &state)
            case let path where path.hasSuffix("/revoke"):
                state.grants.append(form)
                if let token = form[ParameterName.token], token == state.refreshToken { state.refreshToken = nil }
                return .reply(200, [], "")
            default: return administer(request, &state)
            }
        }
    }

    // MARK: - The documents

    private func document(_ members: [String: Any], _ state: State) -> FakeServer.Answer {
        var members = members
        for (name, value) in state.changes where members[name] != nil {
            members[name] = members[name] is [String] ? [value] : value
        }
        let data = try? JSONSerialization.data(withJSONObject: members)
        return .json(String(decoding: data ?? Data(), as: UTF8.self))
    }

    private func discovery(_ origin: String, _ state: State) -> FakeServer.Answer {
        let path = origin + "/organizations/oauth2/v2.0/"
        return document(
            [
                "issuer": origin + "/{tenantid}/v2.0", "authorization_endpoint": path + "authorize",
                "token_endpoint": path + "token", "device_authorization_endpoint": path + "devicecode",
                "revocation_endpoint": path + "revoke", "code_challenge_methods_supported": ["S256"],
            ], state)
    }

    // MARK: - The authorization server

    /// Signs the person in without a page, and redirects the browser.
    private func authorize(
        _ request: FakeServer.Request, _ origin: String, _ state: inout State
    ) -> FakeServer.Answer {
        guard let asked = try? FormParameters(parsing: request.query.utf8) else { return .dropped }
        state.authorizations.append(asked)
        let code = UUID().uuidString
        state.codes[code] = asked
        let answer =
            state.changes["error"].map { "error=\($0)&error_description=No%1b%5b31m" } ?? "code=\(code)"
        let issuer = (state.changes["response_iss"] ?? "{origin}/\(Self.tenant)/v2.0").replacing(
            "{origin}", with: origin)
        let location =
            "\(asked[ParameterName.redirectURI] ?? "")/?\(answer)&state=\(asked[ParameterName.state] ?? "")\(issuer.isEmpty ? "" : "&iss=\(issuer)")"
        return .reply(302, [("Location", location)], "")
    }

    private func token(_ form: FormParameters, _ origin: String, _ state: inout State) -> FakeServer.Answer {
        state.grants.append(form)
        var nonce: String?
        switch form[ParameterName.grantType] {
        case GrantType.authorizationCode.rawValue:
            guard let code = form[ParameterName.code], let asked = state.codes.removeValue(forKey: code),
                form[ParameterName.redirectURI] == asked[ParameterName.redirectURI],
                ProofKey.matches(
                    verifier: form[ParameterName.codeVerifier] ?? "",
                    challenge: asked[ParameterName.codeChallenge] ?? "")
            else { return refusal("invalid_grant") }
            nonce = asked[ParameterName.nonce]
        case GrantType.deviceCode.rawValue:
            polled.yield()
            if let error = state.changes["error"] { return refusal(error) }
            state.pending -= 1
            guard state.pending < 0 else { return refusal("authorization_pending") }
        case GrantType.refreshToken.rawValue:
            let used = form[ParameterName.refreshToken] ?? ""
            if !state.usedTokens.insert(used).inserted {
                (state.isRefreshTokenReused, state.refreshToken) = (true, nil)
            }
            guard used == state.refreshToken else { return refusal("invalid_grant") }
        case "client_credentials":
            let access = Self.token + UUID().uuidString
            state.accessTokens.insert(access)
            return .json(#"{"token_type":"Bearer","access_token":"\#(access)","expires_in":3600}"#)
        default: return refusal("unsupported_grant_type")
        }
        let (access, refresh) = (Self.token + UUID().uuidString, Self.token + UUID().uuidString)
        state.accessTokens.insert(access)
        state.refreshToken = refresh
        let idToken = idToken(origin, nonce: nonce, state.changes)
        return .json(
            #"{"token_type":"\#(state.changes["token_type"] ?? "Bearer")","access_token":"\#(access)","refresh_token":"\#(refresh)","id_token":"\#(idToken)","expires_in":\#(state.lifetime)}"#
        )
    }

    private func refusal(_ code: String) -> FakeServer.Answer {
        .json(#"{"error":"\#(code)","error_description":"No."}"#, status: 400)
    }

    private func idToken(_ origin: String, nonce: String?, _ changes: [String: String]) -> String {
        var claims = MembersWriter()
        claims.set(ClaimName.issuer, changes["iss"] ?? "\(origin)/\(Self.tenant)/v2.0")
        claims.set(ClaimName.audience, changes["aud"] ?? AdministrationApp.clientID)
        claims.set(ClaimName.tenantID, Self.tenant)
        claims.set(ClaimName.objectID, changes["oid"] ?? Self.person)
        claims.set(ClaimName.preferredUsername, changes["preferred_username"] ?? "carol@c.test")
        claims.set(ClaimName.name, "Carol")
        claims.set(ClaimName.nonce, nonce.map { changes["nonce"] ?? $0 })
        claims.set(ClaimName.expiresAt, Int(changes["exp"] ?? "") ?? Int(Date.now.timeIntervalSince1970) + 3600)
        return UnsecuredToken.serialise(payload: claims.bytes)
    }

    // MARK: - The administration

    private func administer(_ request: FakeServer.Request, _ state: inout State) -> FakeServer.Answer {
        state.calls.append(request)
        let token = request.headers.first(name: "Authorization")?.dropFirst("Bearer ".count) ?? ""
        guard state.accessTokens.contains(String(token)) else {
            return .refusal(401, "admin.token", [("WWW-Authenticate", #"Bearer error="invalid_token""#)])
        }
        let user =
            #"{"id":"\#(Self.person)","userPrincipalName":"carol@c.test","displayName":"Carol","accountEnabled":true,"roles":["Global Reader"]}"#
        switch (request.method, request.path.split(separator: "/").last) {
        case ("GET", "users"): return .json("[\(user)]")
        case ("GET", Substring(Self.person)): return .json(user)
        case ("GET", _): return .json("[]")
        case ("POST", "groups"):
            return .json(#"{"id":"g","displayName":"G","members":[],"deviceCount":0}"#, status: 201)
        default: return .reply(204, [], "")
        }
    }
}
