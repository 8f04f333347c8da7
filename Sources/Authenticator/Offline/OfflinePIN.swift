// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials
internal import OAuth
package import Redaction

/// How a device knows a worker's PIN again.
package struct OfflinePIN: Sendable, Codable, Equatable {
    /// scrypt of the PIN, where the organisation has opted in to PINs without a TPM.
    private let salt: [UInt8]
    private let digest: [UInt8]

    /// log₂ of scrypt's N: 64 MiB and about 0.2 s a guess, which is little protection for a million PINs.
    private static let logarithm = 16

    /// Digits of a PIN at least.
    package static let leastDigits = 6
    private static let mostDigits = 32

    /// Why a PIN is refused.
    package enum Weakness: Error, Equatable {
        /// Too short, too long, or not of digits alone.
        case shape
        /// One digit only, or digits that count up or down.
        case trivial
    }

    /// Judges a PIN that somebody wants to set.
    package static func check(_ pin: String) throws(Weakness) {
        let digits = pin.utf8.map { Int($0) - 0x30 }
        guard (leastDigits...mostDigits).contains(digits.count), digits.allSatisfy((0...9).contains) else { throw .shape }
        let steps = Set(zip(digits, digits.dropFirst()).map { (10 + $1 - $0) % 10 })
        guard steps != [0], steps != [1], steps != [9], !isRepeated(digits) else { throw .trivial }
    }

    /// Whether one piece of up to three digits makes up all of it, as in 121212.
    private static func isRepeated(_ digits: [Int]) -> Bool {
        (1...3).contains { length in
            digits.count % length == 0 && digits.indices.allSatisfy { digits[$0] == digits[$0 % length] }
        }
    }
}

extension OfflinePIN {
    /// Keeps a PIN; blocks for as long as scrypt takes.
    ///
    /// - Parameter salt: 16 random bytes.
    /// - Throws: the library's error.
    package init(_ pin: SecretBytes, salt: [UInt8]) throws {
        self.salt = salt
        digest = try Self.derive(pin, salt)
    }

    /// Whether it is the PIN; blocks as long.
    ///
    /// - Throws: the library's error.
    package func matches(_ pin: SecretBytes) throws -> Bool {
        equalInConstantTime(try Self.derive(pin, salt), digest)
    }

    private static func derive(_ pin: SecretBytes, _ salt: [UInt8]) throws -> [UInt8] {
        var passphrase = unsafe pin.withUnsafeBytes { unsafe Array($0) }
        defer { wipe(&passphrase) }
        let key = try KDF.Scrypt.deriveKey(
            from: passphrase, salt: salt, outputByteCount: 32, rounds: 1 << logarithm, blockSize: 8, parallelism: 1)
        return unsafe key.withUnsafeBytes { unsafe Array($0) }
    }
}
