// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import OAuth

extension TokenSource {
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
}
