// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The device's word that a session has ended there (Baton's own call), signed by the device key, holding no secret of
/// the worker: it can wait on disk until the network is back.
package struct EndSessionRequest: Sendable {
    /// The endpoint's URL as the device called it.
    package let audience: String
    package let deviceID: String
    package let nonce: String
    /// Seconds since 1970.
    package let issuedAt: Int
    package let sessionID: String
    package let epoch: DeviceEpoch
    /// Whether the person asked for the end of the identity platform's browser session. It ends in any case, being part
    /// of the session; the word is for the record of what was asked.
    package let endsBrowserSession: Bool

    package init(
        audience: String, deviceID: String, nonce: String, issuedAt: Int, sessionID: String, epoch: DeviceEpoch,
        endsBrowserSession: Bool
    ) {
        self.audience = audience
        self.deviceID = deviceID
        self.nonce = nonce
        self.issuedAt = issuedAt
        self.sessionID = sessionID
        self.epoch = epoch
        self.endsBrowserSession = endsBrowserSession
    }

    /// Reads the members of a verified request.
    ///
    /// - Throws: ``MembersFailure``.
    package init(_ claims: Members) throws(MembersFailure) {
        audience = try claims.string(ClaimName.audience)
        deviceID = try claims.string(ClaimName.issuer)
        nonce = try claims.string(ClaimName.requestNonce)
        issuedAt = try claims.integer(ClaimName.issuedAt)
        sessionID = try claims.string(ClaimName.sessionID)
        guard let epoch = try DeviceEpoch.read(claims) else { throw .missing(ClaimName.epochID.rawValue) }
        self.epoch = epoch
        guard case .bool(let ends) = claims[ClaimName.endBrowserSession] else {
            throw .wrongType(ClaimName.endBrowserSession.rawValue)
        }
        endsBrowserSession = ends
    }

    /// Whether a reply says that the server has heard it; anything else is asked again.
    package static func isHeard(_ reply: [UInt8]) -> Bool {
        do { return try Members(decoding: reply)[ReplyName.ended] == .bool(true) } catch { return false }
    }

    /// The form to post, signed by the device key with its certificate (DER).
    ///
    /// - Throws: the library's error.
    package func form(signedWith deviceKey: SigningKey, certificate: [UInt8]) throws -> FormParameters {
        var payload = MembersWriter()
        payload.set(ClaimName.audience, audience)
        payload.set(ClaimName.issuer, deviceID)
        payload.set(ClaimName.requestNonce, nonce)
        payload.set(ClaimName.issuedAt, issuedAt)
        payload.set(ClaimName.sessionID, sessionID)
        epoch.write(to: &payload)
        payload.set(ClaimName.endBrowserSession, endsBrowserSession)
        var form = FormParameters()
        let signer = TokenSigner(key: deviceKey, certificate: certificate)
        form.append(ParameterName.request, try signer.token(payload: payload.bytes))
        return form
    }
}
