// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import Foundation
import OAuth
import Redaction
import Synchronization
import TestSupport

/// A worker's session on a simulated device, with everything that the device holds of it.
final class SimulatedSession: Sendable {
    struct Tokens: Sendable {
        var access: String?
        var chain: RefreshChain?
    }

    let id: String
    let epoch: DeviceEpoch
    let primary: Sensitive<String>
    let key: SessionKey
    let nonces: NonceStore
    let tokens = Mutex(Tokens())
    /// Whether the device itself has reported the end, so that the server does not notify it.
    let isReported = Mutex(false)

    init(id: String, epoch: DeviceEpoch, primary: Sensitive<String>, key: SessionKey, nonces: NonceStore) {
        (self.id, self.epoch, self.primary, self.key, self.nonces) = (id, epoch, primary, key, nonces)
    }
}

/// The requests of a worker's session, over any client.
struct SessionRequests: Sendable {
    let cluster: FaultCluster
    let device: DeviceCallSigner
    let session: SimulatedSession

    /// Gets an app's tokens with the PRT. Returns the access token and the refresh token.
    func fetch() async throws -> (access: String, refresh: String) {
        let answer = try await device.server.post(with: session.nonces) { nonce in
            let use = PrimaryRefreshToken.UseRequest(
                token: session.primary, clientID: cluster.app, redirectURI: FaultCluster.redirect,
                scopes: Scopes([Scopes.openID, Scopes.profile, Scopes.offlineAccess, "User.Read"]), nonce: nonce)
            var generator = SystemRandomNumberGenerator()
            return PrimaryRefreshToken.form(
                request: try use.signed(with: session.key, now: device.now(), using: &generator))
        }
        let text = String(decoding: answer, as: UTF8.self)
        let reply = try Members(decoding: try EncryptedReply.open(text, with: session.key))
        return (try reply.string(ReplyName.accessToken), try reply.string(ReplyName.refreshToken))
    }

    /// Uses a refresh token, and returns the next one.
    func refresh(_ token: String) async throws -> String {
        var form = FormParameters()
        form.append(ParameterName.grantType, GrantType.refreshToken.rawValue)
        form.append(ParameterName.clientID, cluster.app)
        form.append(ParameterName.refreshToken, token)
        return try Members(decoding: try await device.server.post(form)).string(ReplyName.refreshToken)
    }

    /// Asks Graph for the worker.
    func graph(_ access: String) async throws {
        let response = try await device.server.https.send(
            .init(
                method: "GET", url: cluster.graphURL + "/v1.0/me", headers: [("Authorization", "Bearer " + access)]))
        try RequestRefusal.check(response, is: 200, "Graph")
    }

    /// Asks for the session's status, which must be that it is live.
    func status() async throws {
        let answer = try await device.answer { [session] binding in
            SessionStatusRequest(binding, epoch: session.epoch, sessionID: session.id)
        }
        let status = try SessionStatusRequest.status(decoding: answer)
        guard status == .live else { throw RequestRefusal(text: "status \(status.rawValue)") }
    }

    /// Reports the session's end.
    func end() async throws {
        let answer = try await device.answer { [session] binding in
            EndSessionRequest(binding, sessionID: session.id, epoch: session.epoch, endsBrowserSession: false)
        }
        guard EndSessionRequest.isConfirmed(by: answer) else { throw RequestRefusal(text: "the end is not confirmed") }
    }
}

/// A worker's sign-in on a simulated device: the page, the code, and a PRT.
struct SimulatedSignIn: Sendable {
    let cluster: FaultCluster
    let server: IdentityClient
    let user: String

    /// Signs in on the page and redeems the code.
    func tokens(scopes: [String]) async throws -> Members {
        let verifier = ProofKey.verifier()
        let code = try await code(scopes: scopes, verifier: verifier)
        var form = FormParameters()
        form.append(ParameterName.grantType, GrantType.authorizationCode.rawValue)
        form.append(ParameterName.clientID, WellKnownApplication.broker)
        form.append(ParameterName.code, code)
        form.append(ParameterName.redirectURI, Self.redirect)
        form.append(ParameterName.codeVerifier, verifier)
        return try Members(decoding: try await server.post(form))
    }

    private static let redirect = "http://localhost"

    private func code(scopes: [String], verifier: String) async throws -> String {
        var query = FormParameters()
        query.append(ParameterName.clientID, WellKnownApplication.broker)
        query.append(ParameterName.responseType, "code")
        query.append(ParameterName.redirectURI, Self.redirect)
        query.append(ParameterName.scope, Scopes(scopes).text)
        query.append(ParameterName.codeChallenge, ProofKey.challenge(for: verifier))
        query.append(ParameterName.codeChallengeMethod, ProofKey.method)
        let path = EndpointPath.authorize(tenant: cluster.tenant)
        let page = try await server.https.send(
            .init(method: "GET", url: cluster.loginURL + path + "?" + query.encoded))
        try RequestRefusal.check(page, is: 200, "the sign-in page")
        let text = String(decoding: page.body, as: UTF8.self)
        var form = FormParameters()
        for name in ["csrf", "request"] {
            form.append(Field(name), try Self.part(of: text, after: "name=\"\(name)\" value=\""))
        }
        form.append(ParameterName.username, user)
        form.append(ParameterName.password, FaultCluster.password)
        let cookies = page.headers.filter { $0.name.lowercased() == "set-cookie" }.map { $0.value.prefix { $0 != ";" } }
        let answer = try await server.https.send(
            .init(
                method: "POST", url: cluster.loginURL + (try Self.part(of: text, after: "action=\"")),
                headers: [
                    ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", cluster.loginURL),
                    ("Cookie", cookies.joined(separator: "; ")),
                ], body: Array(form.encoded.utf8)))
        guard answer.status < 500, answer.status != 429 else {
            throw TestProblem("the sign-in: status \(answer.status)")
        }
        guard let location = answer.header("Location"), let returned = location.split(separator: "?").dropFirst().first,
            let code = try FormParameters(parsing: returned.utf8)[ParameterName.code]
        else {
            throw RequestRefusal(
                text: "the sign-in: status \(answer.status) \(answer.header("Location") ?? "")")
        }
        return code
    }

    /// A field of a page's form.
    private struct Field: WireName {
        let rawValue: String
        init(_ name: String) { rawValue = name }
        init?(rawValue: String) { self.rawValue = rawValue }
    }

    /// An attribute's value that begins after a text.
    private static func part(of page: String, after start: String) throws -> String {
        guard let found = page.firstRange(of: start) else { throw RequestRefusal(text: "the page lacks \(start)") }
        return String(page[found.upperBound...].prefix { $0 != "\"" })
            .replacing("&amp;", with: "&").replacing("&#39;", with: "'")
    }
}
