// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import SwiftASN1
internal import X509

extension TokenSource {
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
