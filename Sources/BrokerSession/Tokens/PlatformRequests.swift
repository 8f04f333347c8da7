// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import DeviceSettings
internal import JSON
internal import OAuth
internal import Redaction
internal import SwiftASN1
internal import X509

/// The requests that a joined device and a signed-in worker can make to the identity platform.
struct PlatformRequests: Sendable {
    /// Signs requests with the device key.
    private(set) var device: DeviceCallSigner
    var server: IdentityClient { device.server }
    var keys: DeviceKeys { device.keys }
    /// The device certificate, in DER format.
    var certificate: [UInt8] { device.certificate }

    init(join: JoinRecord, keys: DeviceKeys, https: any HTTPSending, now: @escaping @Sendable () -> Int) throws {
        device = try DeviceCallSigner(join: join, keys: keys, https: https, now: now)
    }

    /// The current time, in seconds since 1970.
    @Sendable func now() -> Int { device.now() }

    /// Returns a copy of this source for one request of an app, with the request's correlation id and the tenant name
    /// that the request uses.
    func serving(_ request: TokenRequest, tenant: String) -> PlatformRequests {
        var source = self
        source.device.server.correlationID = request.client.correlationID
        source.device.server.tenant = tenant
        return source
    }

    /// Exchanges the refresh token of a new sign-in for the worker's session: a PRT that is bound to the device and the
    /// epoch.
    func session(
        refreshToken: Sensitive<String>, epoch: Epoch, environment: String
    ) async throws -> WorkerSession {
        guard let counter = Int(exactly: epoch.counter),
            let deviceEpoch = DeviceEpoch(id: epoch.id.description, counter: counter)
        else { throw BrokerError(.internal, "The epoch cannot be sent to the server. Reset the device.") }
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

    /// Gets a new PRT for the session, under the same key.
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

    /// Gets a token for an app with the worker's PRT.
    func token(for request: TokenRequest, of session: WorkerSession) async throws -> TokenResponse {
        let (asked, claims) = (now(), try request.claimsWithCapabilities())
        let answer = try await server.post(with: session.nonces) { nonce in
            // No offline_access: the broker renews only through the PRT.
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

    /// Reports to the server that a session has ended on this device. The report needs no credential of the worker.
    ///
    /// - Throws: ``OAuthError`` for a refusal, ``BrokerError`` if the answer does not confirm the end.
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
        guard EndSessionRequest.isConfirmed(by: answer) else {
            throw BrokerError(
                .serverError, "The identity platform does not confirm the session's end. Look at the platform's log.")
        }
    }

    // MARK: - The worker's browser

    /// Returns the headers that sign the worker's browser in at the identity platform, for one nonce.
    func browserHeaders(
        of session: WorkerSession, over nonce: String, _ wanted: SSOCookiesRequest.Headers
    ) async throws -> SSOHeaders {
        var token: SSOHeaders.Header?
        var device: SSOHeaders.Header?
        if wanted.contains(.primaryRefreshToken) {
            var generator = SystemRandomNumberGenerator()
            let credential = BrowserCredential(token: session.token, nonce: nonce)
            token = .init(
                name: BrowserCredential.name, value: try credential.signed(with: session.key, using: &generator))
        }
        if wanted.contains(.deviceRegistration) {
            let signed = try await keys.using { [certificate] keys in
                try DeviceCredential(nonce: nonce).signed(with: keys.identity, certificate: certificate)
            }
            device = .init(name: DeviceCredential.name, value: signed)
        }
        return SSOHeaders(
            token: token, homeAccountID: session.account.homeAccountID, username: session.account.username,
            device: device, tenantID: session.account.realm)
    }

    // MARK: - Requests of the device

    /// Gets a token for the device itself, with a request signed by the device key. The token contains no data about a
    /// worker.
    ///
    /// - Throws: ``OAuthError``, ``BrokerError``, ``HTTPSError``, or an error in the reply.
    func deviceToken(for request: DeviceTokenRequest) async throws -> DeviceTokenResponse {
        var server = server
        server.correlationID = request.client.correlationID
        let asked = now()
        let audience = server.loginURL + EndpointPath.token(tenant: server.tenant)
        let answer = try await server.post { nonce in
            let asking = DeviceTokenGrantRequest(
                clientID: request.client.clientID, redirectURI: request.redirectURI, scopes: Scopes(request.scopes),
                resource: request.resource, nonce: nonce)
            return try await keys.using { [certificate] keys in
                try asking.form(signedWith: keys.identity, certificate: certificate, audience: audience)
            }
        }
        let reply = try Members(decoding: answer)
        // A reply that names a person is not what was requested (DTK-2).
        guard reply[ReplyName.refreshToken] == nil, reply[ReplyName.idToken] == nil else {
            throw BrokerError(
                .serverError,
                "The identity platform issued a person's token for the device. Update the identity platform.")
        }
        guard let seconds = try reply.lenientInteger(ReplyName.expiresIn) else {
            throw MembersFailure.missing(ReplyName.expiresIn.rawValue)
        }
        return DeviceTokenResponse(
            authority: "\(server.loginURL)/\(server.tenant)", accessToken: try reply.string(ReplyName.accessToken),
            scopes: (try reply.optionalString(ReplyName.scope) ?? "").split(separator: " ").map(String.init),
            expiresOn: asked + seconds)
    }

    /// Asks which leases on the device are still valid. If a session is given, also requests a lease for its worker.
    ///
    /// - Throws: ``OAuthError``, ``BrokerError``, ``HTTPSError``, or an error in the reply. In that case nothing is
    ///   known about the leases.
    func leases(held: [String], session: String?) async throws -> OfflineAnswer {
        let body = try await device.answer { binding in
            OfflineQuestion(binding, sessionID: session, held: held)
        }
        return try OfflineAnswer(decoding: body)
    }

    /// Revokes a refresh token that this device does not need (RFC 7009).
    ///
    /// - Throws: as ``IdentityClient/post(_:to:)``; in that case the token expires by itself.
    func giveBack(_ token: Sensitive<String>) async throws {
        var form = FormParameters()
        form.append(ParameterName.clientID, WellKnownApplication.broker)
        form.append(ParameterName.token, token.exposed)
        _ = try await server.post(form, to: EndpointPath.revocation(tenant: server.tenant))
    }

    /// Returns, from the organisation's published keys, the key with the id that a signed token names; nil if there is
    /// no such key.
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

    /// The claims request combined with the app's client capabilities; nil if there is neither.
    ///
    /// - Throws: ``BrokerError`` -51112 if the claims are not a JSON object.
    func claimsWithCapabilities() throws(BrokerError) -> String? {
        guard !clientCapabilities.isEmpty else { return claims }
        var members: [String: JSONValue] = [:]
        if let claims {
            guard let asked = (try? JSONReader.read(Array(claims.utf8), limits: Wire.nestedLimits))?.object else {
                throw BrokerError(
                    .developerParameter,
                    "The claims request is not a JSON object. Send one, or leave it out.")
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
