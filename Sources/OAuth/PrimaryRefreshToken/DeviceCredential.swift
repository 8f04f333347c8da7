// SPDX-License-Identifier: Apache-2.0

/// Proves to the authorisation endpoint which registered device a browser runs on: signed by the device key, sent as a header
/// beside the ``BrowserCredential`` (MS-OAPXBC).
package struct DeviceCredential: Sendable {
    /// The header's name.
    package static let name = "x-ms-DeviceCredential"
    private static let issuer = "aad:brokerplugin"

    package let nonce: String

    package init(nonce: String) { self.nonce = nonce }

    /// Signs the credential.
    ///
    /// - Parameter certificate: the device's, DER.
    /// - Throws: the library's error.
    package func signed(with deviceKey: SigningKey, certificate: [UInt8]) throws -> String {
        var payload = MembersWriter()
        payload.set(ClaimName.grantType, BrowserCredential.deviceGrantType)
        payload.set(ClaimName.issuer, Self.issuer)
        payload.set(ClaimName.requestNonce, nonce)
        return try TokenSigner(key: deviceKey, certificate: certificate).token(payload: payload.bytes)
    }
}
