// SPDX-License-Identifier: Apache-2.0

/// A credential that proves to the authorization endpoint which registered device a browser runs on. It is signed with
/// the device key and sent as a header together with the ``BrowserCredential`` (MS-OAPXBC).
package struct DeviceCredential: Sendable {
    /// The header's name.
    package static let name = "x-ms-DeviceCredential"
    private static let issuer = "aad:brokerplugin"

    package let nonce: String

    package init(nonce: String) { self.nonce = nonce }

    /// Signs the credential.
    ///
    /// - Parameter certificate: the device's certificate in DER format.
    /// - Throws: the error of the cryptography library.
    package func signed(with deviceKey: SigningKey, certificate: [UInt8]) throws -> String {
        var payload = MembersWriter()
        payload.set(ClaimName.grantType, BrowserCredential.deviceGrantType)
        payload.set(ClaimName.issuer, Self.issuer)
        payload.set(ClaimName.requestNonce, nonce)
        return try TokenSigner(key: deviceKey, certificate: certificate).token(payload: payload.bytes)
    }
}
