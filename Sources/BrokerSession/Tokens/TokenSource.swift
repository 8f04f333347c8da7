// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import JSON
internal import OAuth
internal import Redaction
internal import SwiftASN1
internal import X509

/// What a joined device and a signed-in worker can get from the identity platform.
struct TokenSource: Sendable {
    /// Who speaks to the identity platform where no worker has to.
    private(set) var device: DeviceCallSigner
    var server: IdentityClient { device.server }
    var keys: DeviceKeys { device.keys }
    /// DER.
    var certificate: [UInt8] { device.certificate }

    init(join: JoinRecord, keys: DeviceKeys, https: any HTTPSending, now: @escaping @Sendable () -> Int) throws {
        device = try DeviceCallSigner(join: join, keys: keys, https: https, now: now)
    }

    /// Seconds since 1970.
    @Sendable func now() -> Int { device.now() }

    /// The same, for what one request of an app asks: under its id, and of the tenant by the name that it uses.
    func serving(_ request: TokenRequest, tenant: String) -> TokenSource {
        var source = self
        source.device.server.correlationID = request.client.correlationID
        source.device.server.tenant = tenant
        return source
    }

    /// Turns a fresh sign-in into the worker's session: a PRT bound to device and epoch.
    func session(
        refreshToken: Sensitive<String>, epoch: Epoch, environment: String
    ) async throws -> WorkerSession {
        guard let counter = Int(exactly: epoch.counter),
            let deviceEpoch = DeviceEpoch(id: epoch.id.description, counter: counter)
        else { throw BrokerError(.internal, "The epoch cannot be told to the server. Reset the device.") }
        let nonces = NonceStore()
        let answer = try await server.post(with: nonces) { nonce in
            let request = PrimaryRefreshToken.IssueRequest(
                nonce: nonce, proof: .refreshToken(refreshToken), epoch: deviceEpoch)
            return try await keys.using { [certificate] keys in
                PrimaryRefreshToken.form(
                    request: try request.signed(with: keys.identity, certificate: certificate))
            }
        }
        let reply = try PrimaryRefreshToken.IssueReply(decoding: answer)
        guard reply.epoch == deviceEpoch else { throw BrokerError.answerOfAnother }
        let key = try await keys.using { keys in try reply.sessionKey { try keys.decrypt($0) } }
        return try WorkerSession(reply, key: key, nonces: nonces, environment: environment, now: now())
    }

    /// Another PRT for the session, under the same key.
    func renewed(_ session: WorkerSession) async throws -> WorkerSession {
        let asked = now()
        let answer = try await server.post(with: session.nonces) { nonce in
            let request = PrimaryRefreshToken.UseRequest.renewal(of: session.token, nonce: nonce)
            var generator = SystemRandomNumberGenerator()
            return PrimaryRefreshToken.form(
                request: try request.signed(with: session.key, now: asked, using: &generator))
        }
        let encrypted = String(decoding: answer, as: UTF8.self)
        let body = try EncryptedReply.open(encrypted, with: session.key)
        try session.expectRenewal(try Members(decoding: body))
        return session.renewed(try PrimaryRefreshToken.RenewalReply(decoding: body), now: asked)
    }

    /// An app's token through the worker's PRT.
    func token(for request: TokenRequest, of session: WorkerSession) async throws -> TokenResponse {
        let (asked, claims) = (now(), try request.claimsWithCapabilities())
        let answer = try await server.post(with: session.nonces) { nonce in
            // No offline_access: the broker renews through the PRT alone.
            let use = PrimaryRefreshToken.UseRequest(
                token: session.token, clientID: request.client.clientID, redirectURI: request.redirectURI,
                scopes: Scopes(request.scopes + [Scopes.openID, Scopes.profile]), nonce: nonce,
                claims: claims)
            var generator = SystemRandomNumberGenerator()
            return PrimaryRefreshToken.form(
                request: try use.signed(with: session.key, now: asked, using: &generator))
        }
        let encrypted = String(decoding: answer, as: UTF8.self)
        let reply = try Members(decoding: try EncryptedReply.open(encrypted, with: session.key))
        try session.expectToken(reply, for: request.client.clientID)
        return try response(reply, to: request, of: session, asked: asked)
    }

    private func response(
        _ reply: Members, to request: TokenRequest, of session: WorkerSession, asked: Int
    ) throws -> TokenResponse {
        guard let seconds = try reply.lenientInteger(ReplyName.expiresIn) else {
            throw MembersFailure.missing(ReplyName.expiresIn.rawValue)
        }
        var response = TokenResponse(
            authority: "\(server.loginURL)/\(session.account.realm)",
            accessToken: try reply.string(ReplyName.accessToken), idToken: try reply.string(ReplyName.idToken),
            scopes: (try reply.optionalString(ReplyName.scope) ?? "").split(separator: " ").map(String.init),
            expiresOn: asked + seconds, clientInfo: try reply.string(ReplyName.clientInfo))
        response.correlationID = request.client.correlationID
        return response
    }

    /// Tells the server that a session has ended on this device; no credential of the worker is needed.
    ///
    /// - Throws: ``OAuthError`` for a refusal, ``BrokerError`` where the answer does not say that it was heard.
    func end(_ session: EndedSession) async throws {
        guard let counter = Int(exactly: session.epoch.counter),
            let deviceEpoch = DeviceEpoch(id: session.epoch.id.description, counter: counter)
        else { throw BrokerError(.internal, "The ended session's epoch cannot be read. Reset the device.") }
        var device = device
        device.server.correlationID = session.correlationID
        let answer = try await device.answer { binding in
            EndSessionRequest(
                binding, sessionID: session.serverSession, epoch: deviceEpoch, endsBrowserSession: session.fromBrowser)
        }
        guard EndSessionRequest.isHeard(answer) else {
            throw BrokerError(
                .serverError, "The identity platform does not confirm the session's end. Look at its log.")
        }
    }

    // MARK: - In the device's own name

    /// A token of the device itself, signed for by the device key; nothing of a worker goes into it.
    ///
    /// - Throws: ``OAuthError``, ``BrokerError``, ``HTTPSError``, what the reply's reading throws.
    func deviceToken(for request: BrokerProtocol::DeviceTokenRequest) async throws -> DeviceTokenResponse {
        var server = server
        server.correlationID = request.client.correlationID
        let asked = now()
        let audience = server.loginURL + EndpointPath.token(tenant: server.tenant)
        let answer = try await server.post { nonce in
            let asking = OAuth::DeviceTokenRequest(
                clientID: request.client.clientID, redirectURI: request.redirectURI, scopes: Scopes(request.scopes),
                resource: request.resource, nonce: nonce)
            return try await keys.using { [certificate] keys in
                try asking.form(signedWith: keys.identity, certificate: certificate, audience: audience)
            }
        }
        let reply = try Members(decoding: answer)
        // A reply that names a person was not what was asked for (DTK-2).
        guard reply[ReplyName.refreshToken] == nil, reply[ReplyName.idToken] == nil else {
            throw BrokerError(.serverError, "The identity platform's token of the device is a person's. Update it.")
        }
        guard let seconds = try reply.lenientInteger(ReplyName.expiresIn) else {
            throw MembersFailure.missing(ReplyName.expiresIn.rawValue)
        }
        return DeviceTokenResponse(
            authority: "\(server.loginURL)/\(server.tenant)", accessToken: try reply.string(ReplyName.accessToken),
            scopes: (try reply.optionalString(ReplyName.scope) ?? "").split(separator: " ").map(String.init),
            expiresOn: asked + seconds)
    }

    /// Asks how the leases in hand stand, and for one of the worker of a session.
    ///
    /// - Throws: ``OAuthError``, ``BrokerError``, ``HTTPSError``, what the reply's reading throws: then nothing is known.
    func leases(held: [String], session: String?) async throws -> OfflineAnswer {
        let body = try await device.answer { binding in
            OfflineQuestion(binding, sessionID: session, held: held)
        }
        return try OfflineAnswer(decoding: body)
    }

    /// Gives a refresh token back that this device has no use for (RFC 7009).
    ///
    /// - Throws: as ``IdentityClient/post(_:to:)``; the token ends by itself then.
    func giveBack(_ token: Sensitive<String>) async throws {
        var form = FormParameters()
        form.append(ParameterName.clientID, WellKnownApplication.broker)
        form.append(ParameterName.token, token.exposed)
        _ = try await server.post(form, to: EndpointPath.revocation(tenant: server.tenant))
    }

    /// The key that the organisation publishes under the id which a signed token names; nil where it publishes none.
    ///
    /// - Throws: ``HTTPSError``, ``JOSEFailure``.
    func signingKey(of token: String) async throws -> JSONWebKey? {
        guard let id = try CompactJWS(token).keyID else { return nil }
        let response = try await server.https.send(
            .init(method: "GET", url: server.loginURL + EndpointPath.signingKeys(tenant: server.tenant)))
        guard response.status == 200 else { throw JOSEFailure.unusableKey }
        return try JSONWebKeySet(decoding: response.body)[id]
    }
}

extension TokenRequest {
    private enum Member {
        static let accessToken = "access_token"
        static let capabilities = "xms_cc"
        static let values = "values"
    }

    /// The claims request together with what the app says that it can do; nil for neither.
    ///
    /// - Throws: ``BrokerError`` -51112 where the claims are no JSON object.
    func claimsWithCapabilities() throws(BrokerError) -> String? {
        guard !clientCapabilities.isEmpty else { return claims }
        var members: [String: JSONValue] = [:]
        if let claims {
            guard let asked = (try? JSONReader.read(Array(claims.utf8), limits: Wire.nestedLimits))?.object else {
                throw BrokerError(.developerParameter, "The claims request is no JSON object. Send one, or none.")
            }
            members = asked
        }
        var accessToken = members[Member.accessToken]?.object ?? [:]
        accessToken[Member.capabilities] = .object([
            Member.values: .array(clientCapabilities.map(JSONValue.string))
        ])
        members[Member.accessToken] = .object(accessToken)
        return JSONWriter.text(.object(members))
    }
}
