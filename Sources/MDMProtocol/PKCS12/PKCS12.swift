// SPDX-License-Identifier: Apache-2.0
package import Redaction

/// A private key with its certificates, which can be read from and written to a password-protected PKCS#12 container
/// (RFC 7292).
///
/// Only the modern form is supported: PBES2 with PBKDF2-HMAC-SHA256 and AES-256-CBC, and a MAC with SHA-256.
package struct PKCS12: Sendable {
    /// PKCS#8, DER.
    package let privateKey: SecretBytes
    /// DER. The leaf certificate, which matches the key, is first.
    package let certificates: [[UInt8]]

    package init(privateKey: SecretBytes, certificates: [[UInt8]]) {
        self.privateKey = privateKey
        self.certificates = certificates
    }

    /// The limits of a reader.
    package struct Limits: Sendable {
        package var bytes: Int
        /// The maximum number of iterations of one key derivation. The sender chooses the number, and each iteration
        /// costs time.
        package var iterations: Int
        /// The maximum number of keys and certificates together.
        package var bags: Int

        package init(bytes: Int = 64 << 10, iterations: Int = 600_000, bags: Int = 8) {
            self.bytes = bytes
            self.iterations = iterations
            self.bags = bags
        }
    }
}

/// Why a container cannot be read or written.
package enum PKCS12Error: String, Error, CustomStringConvertible {
    case malformed = "pkcs12_malformed"
    case unsupported = "pkcs12_unsupported_algorithm"
    case limitExceeded = "pkcs12_limit_exceeded"
    /// The password is wrong, or the container was changed.
    case wrongPassword = "pkcs12_wrong_password"
    /// The container does not have exactly one key, or has no certificate for the key.
    case mismatch = "pkcs12_key_mismatch"

    package var description: String { rawValue }
}
