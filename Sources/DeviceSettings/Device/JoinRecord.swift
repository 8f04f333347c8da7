// SPDX-License-Identifier: Apache-2.0

/// The device's registration in the organisation's directory.
package struct JoinRecord: Sendable, Codable, Equatable {
    package let tenantID: String
    package let deviceID: String
    /// `https://<host>[:<port>]` of the identity platform.
    package let loginURL: String
    /// The device certificate, in PEM format.
    package let certificate: String
    /// The certificate's SHA-1, in upper-case hexadecimal digits.
    package let thumbprint: String
    /// The name under which the device joined; nil if the device was joined by an earlier version of Baton.
    package let deviceName: String?

    package init(
        tenantID: String, deviceID: String, loginURL: String, certificate: String, thumbprint: String,
        deviceName: String? = nil
    ) {
        self.tenantID = tenantID
        self.deviceID = deviceID
        self.loginURL = loginURL
        self.certificate = certificate
        self.thumbprint = thumbprint
        self.deviceName = deviceName
    }

    /// The identity platform's host, with the port if it has one.
    package var loginHost: String {
        // Every reply to an app contains the host. Bytes are compared several times faster than characters.
        let parts = loginURL.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2)
        return parts.dropFirst().first.map { String(Substring($0)) } ?? loginURL
    }
}
