// SPDX-License-Identifier: Apache-2.0
internal import CryptoExtras
internal import FoundationEssentials
internal import OAuth
internal import Redaction
internal import Storage

/// A password's scrypt hash with its cost and salt, as text, for example `scrypt$15$8$3$<salt>$<digest>`.
package struct PasswordHash: RawRepresentable, ColumnValue {
    package let rawValue: String
    let cost: PasswordCost
    private let salt: [UInt8]
    private let digest: [UInt8]

    package init?(rawValue: String) {
        let parts = rawValue.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "scrypt", let logarithm = Int(parts[1]), let blockSize = Int(parts[2]),
            let parallelism = Int(parts[3]),
            let cost = PasswordCost(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism),
            let salt = try? Base64URL.decode(parts[4]), let digest = try? Base64URL.decode(parts[5]),
            digest.count == 32
        else { return nil }
        (self.rawValue, self.cost, self.salt, self.digest) = (rawValue, cost, salt, digest)
    }

    /// Hashes a password. Blocks for as long as the cost requires.
    ///
    /// - Throws: an error of the cryptography library.
    init(of password: SecretBytes, cost: PasswordCost, salt: [UInt8]) throws {
        digest = try Self.derive(password, cost: cost, salt: salt)
        (self.cost, self.salt) = (cost, salt)
        rawValue = [
            "scrypt", "\(cost.logarithm)", "\(cost.blockSize)", "\(cost.parallelism)", Base64URL.encode(salt),
            Base64URL.encode(digest),
        ].joined(separator: "$")
    }

    /// Returns whether this is the hash of `password`. Blocks for as long as the cost requires.
    ///
    /// - Throws: an error of the cryptography library.
    func matches(_ password: SecretBytes) throws -> Bool {
        equalInConstantTime(try Self.derive(password, cost: cost, salt: salt), digest)
    }

    /// Returns a value with which a device can verify the same password without having this hash.
    ///
    /// - Parameter binding: random bytes of length ``OfflinePassword/bindingLength``.
    func offlinePassword(binding: [UInt8]) -> OfflinePassword {
        OfflinePassword(
            logarithm: cost.logarithm, blockSize: cost.blockSize, parallelism: cost.parallelism, salt: salt,
            digest: digest, binding: binding)
    }

    private static func derive(_ password: SecretBytes, cost: PasswordCost, salt: [UInt8]) throws -> [UInt8] {
        var passphrase = unsafe password.withUnsafeBytes { unsafe Array($0) }
        defer { wipe(&passphrase) }
        let key = try KDF.Scrypt.deriveKey(
            from: passphrase, salt: salt, outputByteCount: 32, rounds: 1 << cost.logarithm, blockSize: cost.blockSize,
            parallelism: cost.parallelism)
        return unsafe key.withUnsafeBytes { unsafe Array($0) }
    }
}
