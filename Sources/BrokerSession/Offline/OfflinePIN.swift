// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras
package import DeviceKeyStore
internal import FoundationEssentials
internal import OAuth
package import Redaction

/// The verifier of a worker's PIN: a secret in the device's TPM, which counts wrong PINs and locks itself; or a hash,
/// if the organisation allows PINs without a TPM.
package struct OfflinePIN: Sendable, Codable, Equatable {
    private enum Protection: Sendable, Codable, Equatable {
        /// A random secret that the TPM releases only for the PIN, and the secret's SHA-256.
        case chip(blob: [UInt8], digest: [UInt8])
        /// The scrypt hash of the PIN, and log₂ of its N.
        case file(logarithm: Int, salt: [UInt8], digest: [UInt8])
    }

    private let protection: Protection

    /// The member's name in files is that of earlier versions.
    private enum CodingKeys: String, CodingKey { case protection = "keeper" }

    /// log₂ of scrypt's N. Each guess takes 128 MiB and about 0.4 s. This protects little, because there are only a
    /// million PINs of six digits.
    private static let logarithm = 17
    /// The number of digits. A TPM accepts an authorization value of up to 32 bytes.
    private static let digits = 6...32

    /// Why a PIN is refused.
    package enum PolicyViolation: Error, Equatable {
        /// Too short, too long, or with characters other than digits.
        case shape
        /// A single repeated digit, digits that count up or down, or a repeated short sequence.
        case trivial
    }

    /// Creates the verifier of a PIN; blocks for as long as the TPM or scrypt takes.
    ///
    /// - Parameters:
    ///   - platform: the device's TPM; nil to use a hash, if there is no TPM.
    ///   - logarithm: the cost of the hash: log₂ of scrypt's N.
    /// - Throws: ``PolicyViolation``, ``TrustedPlatformFailure``, or an error of the cryptography library.
    package init(_ pin: SecretBytes, platform: (any TrustedPlatform)?, logarithm: Int = logarithm) throws {
        try Self.check(pin)
        if let platform {
            let secret = SealingKey.random()
            protection = .chip(blob: try platform.seal(secret, authorization: pin), digest: Self.digest(of: secret))
        } else {
            let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
            protection = .file(
                logarithm: logarithm, salt: salt, digest: try Self.derive(pin, salt: salt, logarithm: logarithm))
        }
    }

    /// Whether this is the PIN; blocks for as long as the TPM or scrypt takes. A TPM counts wrong PINs.
    ///
    /// - Throws: ``TrustedPlatformFailure`` if the TPM has not judged the PIN or is missing; or an error of the
    ///   cryptography library.
    package func matches(_ pin: SecretBytes, platform: (any TrustedPlatform)?) throws -> Bool {
        switch protection {
        case .file(let logarithm, let salt, let digest):
            return equalInConstantTime(try Self.derive(pin, salt: salt, logarithm: logarithm), digest)
        case .chip(let blob, let digest):
            guard let platform else {
                throw TrustedPlatformFailure.unavailable(
                    cause: "a TPM protects this PIN, but batond.json names no TPM")
            }
            do throws(TrustedPlatformFailure) {
                return equalInConstantTime(Self.digest(of: try platform.unseal(blob, authorization: pin)), digest)
            } catch .wrongAuthorization { return false }
        }
    }

    /// Whether the TPM keeps the PIN.
    package var isUnderPlatform: Bool {
        guard case .chip = protection else { return false }
        return true
    }

    /// Whether the lease allows a sign-in with this PIN.
    func isAllowed(by lease: OfflineLease) -> Bool { lease.takesPIN(underPlatform: isUnderPlatform) }

    private static func digest(of secret: SecretBytes) -> [UInt8] {
        unsafe secret.withUnsafeBytes { unsafe Array(SHA256.hash(data: $0)) }
    }

    private static func derive(_ pin: SecretBytes, salt: [UInt8], logarithm: Int) throws -> [UInt8] {
        var passphrase = unsafe pin.withUnsafeBytes { unsafe Array($0) }
        defer { wipe(&passphrase) }
        let key = try KDF.Scrypt.deriveKey(
            from: passphrase, salt: salt, outputByteCount: 32, rounds: 1 << logarithm, blockSize: 8, parallelism: 1)
        return unsafe key.withUnsafeBytes { unsafe Array($0) }
    }
}

// MARK: - Strength

extension OfflinePIN {
    /// Whether the typed text has the form of a PIN.
    package static func hasShape(_ typed: SecretBytes) -> Bool {
        guard digits.contains(typed.count) else { return false }
        return unsafe typed.withUnsafeBytes { unsafe $0.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// Checks the strength of a new PIN.
    package static func check(_ pin: SecretBytes) throws(PolicyViolation) {
        guard hasShape(pin) else { throw .shape }
        var digits = unsafe pin.withUnsafeBytes { unsafe Array($0) }
        defer { wipe(&digits) }
        let steps = Set(zip(digits, digits.dropFirst()).map { (10 + Int($1) - Int($0)) % 10 })
        guard steps != [0], steps != [1], steps != [9], !isRepeated(digits) else { throw .trivial }
    }

    /// Whether a sequence of up to three digits is repeated throughout, as in 121212 and 1212121.
    private static func isRepeated(_ digits: [UInt8]) -> Bool {
        (1...3).contains { length in digits.indices.allSatisfy { digits[$0] == digits[$0 % length] } }
    }
}

extension OfflineLease {
    /// Whether the worker may sign in with a PIN.
    ///
    /// - Parameter underPlatform: whether a TPM keeps the PIN.
    func takesPIN(underPlatform: Bool) -> Bool {
        credentials.contains(.pinWithoutTPM) || underPlatform && credentials.contains(.pin)
    }
}
