// SPDX-License-Identifier: Apache-2.0

/// A call of Baton's own protocol that a device makes in its own name. It is signed with the device key and needs no
/// worker's credential.
package protocol DeviceCall: Sendable {
    /// The path of the call at the identity platform.
    static func path(tenant: String) -> String

    var binding: CallBinding { get }

    /// Reads the members of a verified call.
    ///
    /// - Throws: ``MembersFailure``, or an error specific to the call.
    init(_ claims: Members) throws

    /// Writes the members of this call other than its binding.
    func write(to payload: inout MembersWriter)
}

extension DeviceCall {
    /// Returns the call as a compact JWS, signed with the device key.
    ///
    /// - Parameter certificate: the device's certificate in DER format.
    /// - Throws: the error of the cryptography library.
    package func signed(with deviceKey: SigningKey, certificate: [UInt8]) throws -> String {
        var payload = MembersWriter()
        binding.write(to: &payload)
        write(to: &payload)
        return try TokenSigner(key: deviceKey, certificate: certificate).token(payload: payload.bytes)
    }

    /// Returns the form to post to ``path(tenant:)``.
    package static func form(_ signed: String) -> FormParameters {
        var form = FormParameters()
        form.append(ParameterName.request, signed)
        return form
    }
}

/// Binds a ``DeviceCall`` to one endpoint, one device and one use.
package struct CallBinding: Sendable, Equatable {
    /// The URL of the endpoint. The URL is the same even if the call is sent over the device's push channel.
    package let audience: String
    package let deviceID: String
    package let nonce: String
    /// Seconds since 1970.
    package let issuedAt: Int

    package init(audience: String, deviceID: String, nonce: String, issuedAt: Int) {
        (self.audience, self.deviceID, self.nonce, self.issuedAt) = (audience, deviceID, nonce, issuedAt)
    }

    /// Reads the binding of a call.
    ///
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
