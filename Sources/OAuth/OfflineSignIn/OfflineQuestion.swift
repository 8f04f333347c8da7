// SPDX-License-Identifier: Apache-2.0

/// A device's question about its offline leases (Baton's own call), signed by the device key: which of those that it holds
/// are still good, and whether the worker who is signed in gets one.
package struct OfflineQuestion: Sendable {
    /// The endpoint's URL.
    package let audience: String
    package let deviceID: String
    package let nonce: String
    /// Seconds since 1970.
    package let issuedAt: Int
    /// The session whose worker may get a lease; nil where only the leases in hand are asked about.
    package let sessionID: String?
    /// The ids of the leases that the device holds.
    package let held: [String]

    /// Leases that a device may hold at once.
    package static let maximumHeld = 256

    package init(
        audience: String, deviceID: String, nonce: String, issuedAt: Int, sessionID: String?, held: [String]
    ) {
        (self.audience, self.deviceID, self.nonce) = (audience, deviceID, nonce)
        (self.issuedAt, self.sessionID, self.held) = (issuedAt, sessionID, held)
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
        held = try claims.strings(OfflineName.held) ?? []
        guard held.count <= Self.maximumHeld else { throw .overLimit }
    }

    /// The form to post to ``EndpointPath/offlineLeases(tenant:)``.
    ///
    /// - Parameter certificate: the device's, DER.
    /// - Throws: the library's error.
    package func form(signedWith deviceKey: SigningKey, certificate: [UInt8]) throws -> FormParameters {
        var payload = MembersWriter()
        payload.set(ClaimName.audience, audience)
        payload.set(ClaimName.issuer, deviceID)
        payload.set(ClaimName.requestNonce, nonce)
        payload.set(ClaimName.issuedAt, issuedAt)
        payload.set(ClaimName.sessionID, sessionID)
        payload.set(OfflineName.held, held)
        var form = FormParameters()
        form.append(
            ParameterName.request,
            try TokenSigner(key: deviceKey, certificate: certificate).token(payload: payload.bytes))
        return form
    }
}

/// The server's definite word on a device's offline leases.
package struct OfflineAnswer: Sendable, Equatable {
    /// The server's clock, in seconds since 1970.
    package let time: Int
    /// Of the leases that the device holds those that are good; every other one is to be erased.
    package let good: Set<String>
    /// A new lease for the worker of the session, signed; nil where there is none for them.
    package let lease: String?

    package init(time: Int, good: Set<String>, lease: String?) {
        (self.time, self.good, self.lease) = (time, good, lease)
    }

    /// The reply's body.
    package var members: MembersWriter {
        var body = MembersWriter()
        body.set(OfflineName.time, time)
        body.set(OfflineName.good, good.sorted())
        body.set(OfflineName.lease, lease)
        return body
    }

    /// Reads a reply.
    ///
    /// - Throws: ``MembersFailure`` for one that does not say which leases are good: nothing is to be taken for no.
    package init(decoding body: [UInt8]) throws(MembersFailure) {
        let members = try Members(decoding: body)
        time = try members.integer(OfflineName.time)
        guard let good = try members.strings(OfflineName.good) else { throw .missing(OfflineName.good.rawValue) }
        self.good = Set(good)
        lease = try members.optionalString(OfflineName.lease)
    }
}
