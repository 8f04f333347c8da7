// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials
internal import OAuth
package import Redaction

/// How a device knows a worker's PIN again: by its chip, which counts wrong ones and locks itself, or by a hash where the
/// organisation has opted in to that.
package struct OfflinePIN: Sendable, Codable, Equatable {
    private enum Keeper: Sendable, Codable, Equatable {
        /// A random secret that the chip opens by the PIN alone, and its SHA-256.
        case chip(blob: [UInt8], digest: [UInt8])
        /// scrypt of the PIN, and log₂ of its N.
        case file(logarithm: Int, salt: [UInt8], digest: [UInt8])
    }

    private let keeper: Keeper

    /// 128 MiB and about 0.4 s a guess, which is little protection for a million PINs.
    private static let logarithm = 17
    /// A chip takes an authorization of 32 bytes.
    private static let digits = 6...32

    /// Why a PIN is refused.
    package enum PolicyViolation: Error, Equatable {
        /// Too short, too long, or not of digits alone.
        case shape
        /// One digit only, digits that count up or down, or one short piece again and again.
        case trivial
    }

    /// Keeps a PIN; blocks for as long as chip or scrypt takes.
    ///
    /// - Parameters:
    ///   - platform: the device's chip; nil where there is none, and a hash has to do.
    ///   - logarithm: what the hash costs, log₂ of scrypt's N.
    /// - Throws: ``PolicyViolation``, ``TrustedPlatformFailure``, the library's error.
    package init(_ pin: SecretBytes, platform: (any TrustedPlatform)?, logarithm: Int = logarithm) throws {
        try Self.check(pin)
        if let platform {
            let secret = SealingKey.random()
            keeper = .chip(blob: try platform.seal(secret, authorization: pin), digest: Self.digest(of: secret))
        } else {
            let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
            keeper = .file(
                logarithm: logarithm, salt: salt, digest: try Self.derive(pin, salt: salt, logarithm: logarithm))
        }
    }

    /// Whether it is the PIN; blocks as long. Where the chip keeps it, a wrong one counts there.
    ///
    /// - Throws: ``TrustedPlatformFailure`` where the chip has not judged, also where there is none any more; the library's
    ///   error.
    package func matches(_ pin: SecretBytes, platform: (any TrustedPlatform)?) throws -> Bool {
        switch keeper {
        case .file(let logarithm, let salt, let digest):
            return equalInConstantTime(try Self.derive(pin, salt: salt, logarithm: logarithm), digest)
        case .chip(let blob, let digest):
            guard let platform else {
                throw TrustedPlatformFailure.unavailable(cause: "this PIN is under a TPM, and batond.json names none")
            }
            do throws(TrustedPlatformFailure) {
                return equalInConstantTime(Self.digest(of: try platform.unseal(blob, authorization: pin)), digest)
            } catch .wrongAuthorization { return false }
        }
    }

    /// Whether the chip keeps it.
    package var isUnderPlatform: Bool {
        guard case .chip = keeper else { return false }
        return true
    }

    /// Whether a lease lets its worker in by this PIN.
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
    /// Whether something that was typed may be a PIN at all.
    package static func hasShape(_ typed: SecretBytes) -> Bool {
        guard digits.contains(typed.count) else { return false }
        return unsafe typed.withUnsafeBytes { unsafe $0.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// Judges a PIN that somebody wants to set.
    package static func check(_ pin: SecretBytes) throws(PolicyViolation) {
        guard hasShape(pin) else { throw .shape }
        var digits = unsafe pin.withUnsafeBytes { unsafe Array($0) }
        defer { wipe(&digits) }
        let steps = Set(zip(digits, digits.dropFirst()).map { (10 + Int($1) - Int($0)) % 10 })
        guard steps != [0], steps != [1], steps != [9], !isRepeated(digits) else { throw .trivial }
    }

    /// Whether one piece of up to three digits makes up all of it, as in 121212 and 1212121.
    private static func isRepeated(_ digits: [UInt8]) -> Bool {
        (1...3).contains { length in digits.indices.allSatisfy { digits[$0] == digits[$0 % length] } }
    }
}

extension OfflineLease {
    /// Whether the worker may be known by a PIN.
    ///
    /// - Parameter underPlatform: whether a chip keeps it.
    func takesPIN(underPlatform: Bool) -> Bool {
        credentials.contains(.pinWithoutTPM) || underPlatform && credentials.contains(.pin)
    }
}
