// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// A request signed with a device key, with the certificate in the header. A device sends such a request to get a PRT
/// or a device token, and to end a session.
package enum DeviceSignedRequest {
    /// A request whose signature has not been checked, with the certificate that it names.
    package struct Unverified: Sendable {
        /// The leaf certificate in DER format. First check its chain, and compare its key with the registered device's
        /// key.
        package let certificate: [UInt8]
        /// Whether the sender will use key derivation version 2.
        package let announcesVersionTwo: Bool
        private let token: CompactJWS

        /// Parses the request.
        ///
        /// - Throws: ``JOSEFailure``; `malformed` if there is no certificate, `unsupported` for a MAC.
        package init(_ token: CompactJWS) throws(JOSEFailure) {
            guard token.algorithm == .rs256 || token.algorithm == .es256 else { throw .unsupported }
            guard let certificate = try token.certificates().first else { throw .malformed }
            self.certificate = certificate
            self.token = token
            announcesVersionTwo = token.header[HeaderName.keyDerivationVersion] == .integer(2)
        }

        /// Checks the signature with the *registered* device's key and returns the payload's members.
        ///
        /// - Throws: ``JOSEFailure``.
        package func verified(with key: VerificationKey) throws(JOSEFailure) -> Members {
            try token.verify(with: key)
            do {
                return try token.claims()
            } catch {
                throw .malformed
            }
        }
    }
}
