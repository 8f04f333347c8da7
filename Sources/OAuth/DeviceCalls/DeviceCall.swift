// SPDX-License-Identifier: Apache-2.0

/// A call of Baton's own that a device makes in its own name, signed by the device key; no credential of a worker is
/// needed for it.
package protocol DeviceCall: Sendable {
    /// Where the identity platform takes it.
    static func path(tenant: String) -> String

    var binding: CallBinding { get }

    /// Reads the members of a verified call.
    ///
    /// - Throws: ``MembersFailure``, or what the members of this call are made of.
    init(_ claims: Members) throws

    /// Writes what it says beside its binding.
    func write(to payload: inout MembersWriter)
}

extension DeviceCall {
    /// The call as a compact JWS, signed by the device key.
    ///
    /// - Parameter certificate: the device's, DER.
    /// - Throws: the library's error.
    package func signed(with deviceKey: SigningKey, certificate: [UInt8]) throws -> String {
        var payload = MembersWriter()
        binding.write(to: &payload)
        write(to: &payload)
        return try TokenSigner(key: deviceKey, certificate: certificate).token(payload: payload.bytes)
    }

    /// The form to post to ``path(tenant:)``.
    package static func form(_ signed: String) -> FormParameters {
        var form = FormParameters()
        form.append(ParameterName.request, signed)
        return form
    }
}

/// What holds a ``DeviceCall`` to one endpoint, one device and one use.
package struct CallBinding: Sendable, Equatable {
    /// The endpoint's URL as the device calls it; also where the call travels over the device's held connection.
    package let audience: String
    package let deviceID: String
    package let nonce: String
    /// Seconds since 1970.
    package let issuedAt: Int

    package init(audience: String, deviceID: String, nonce: String, issuedAt: Int) {
        (self.audience, self.deviceID, self.nonce, self.issuedAt) = (audience, deviceID, nonce, issuedAt)
    }

    /// - Throws: ``MembersFailure``.
    package init(_ claims: Members) throws(MembersFailure) {
        audience = try claims.string(ClaimName.audience)
        deviceID = try claims.string(ClaimName.issuer)
        nonce = try claims.string(ClaimName.requestNonce)
        issuedAt = try claims.integer(ClaimName.issuedAt)
    }

    fileprivate func write(to payload: inout MembersWriter) {
        payload.set(ClaimName.audience, audience)
        payload.set(ClaimName.issuer, deviceID)
        payload.set(ClaimName.requestNonce, nonce)
        payload.set(ClaimName.issuedAt, issuedAt)
    }
}
