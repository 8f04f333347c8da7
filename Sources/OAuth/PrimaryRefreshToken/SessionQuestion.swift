// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// A device's question how it and its session stand (Baton's own call), signed by the device key.
package struct SessionQuestion: Sendable {
    /// The endpoint's URL; also where the question travels over the device's held connection.
    package let audience: String
    package let deviceID: String
    package let nonce: String
    /// Seconds since 1970.
    package let issuedAt: Int
    /// The epoch that the device is in.
    package let epoch: DeviceEpoch
    /// The session that it holds; nil where nobody is signed in.
    package let sessionID: String?

    package init(
        audience: String, deviceID: String, nonce: String, issuedAt: Int, epoch: DeviceEpoch, sessionID: String?
    ) {
        self.audience = audience
        self.deviceID = deviceID
        self.nonce = nonce
        self.issuedAt = issuedAt
        self.epoch = epoch
        self.sessionID = sessionID
    }

    /// Reads the members of a verified request.
    ///
    /// - Throws: ``MembersFailure``.
    package init(_ claims: Members) throws(MembersFailure) {
        audience = try claims.string(ClaimName.audience)
        deviceID = try claims.string(ClaimName.issuer)
        nonce = try claims.string(ClaimName.requestNonce)
        issuedAt = try claims.integer(ClaimName.issuedAt)
        sessionID = try claims.optionalString(ClaimName.sessionID)
        guard let epoch = try DeviceEpoch.read(claims) else { throw .missing(ClaimName.epochID.rawValue) }
        self.epoch = epoch
    }

    /// The question as a compact JWS, signed by the device key with its certificate (DER).
    ///
    /// - Throws: the library's error.
    package func signed(with deviceKey: SigningKey, certificate: [UInt8]) throws -> String {
        var payload = MembersWriter()
        payload.set(ClaimName.audience, audience)
        payload.set(ClaimName.issuer, deviceID)
        payload.set(ClaimName.requestNonce, nonce)
        payload.set(ClaimName.issuedAt, issuedAt)
        payload.set(ClaimName.sessionID, sessionID)
        epoch.write(to: &payload)
        return try TokenSigner(key: deviceKey, certificate: certificate).token(payload: payload.bytes)
    }

    /// The form to post to ``EndpointPath/sessionState(tenant:)``.
    package static func form(_ signed: String) -> FormParameters {
        var form = FormParameters()
        form.append(ParameterName.request, signed)
        return form
    }

    /// The answer's one member.
    ///
    /// - Throws: ``MembersFailure`` for a reply that is none, or says something that nobody here knows.
    package static func standing(decoding body: [UInt8]) throws -> SessionStanding {
        let word = try Members(decoding: body).string(ReplyName.standing)
        guard let standing = SessionStanding(rawValue: word) else {
            throw MembersFailure.wrongType(ReplyName.standing.rawValue)
        }
        return standing
    }
}
