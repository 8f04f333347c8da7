// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials
package import Redaction

/// Verifies a worker's password on a device that never had the server's password hash. The verifier consists of the
/// hash's cost and salt (scrypt, RFC 7914) and a MAC over the hash, under a key that was made for this lease only.
///
/// A guess at the password costs as much as on the server. Each lease has a different verifier for the same password.
package struct OfflinePassword: Sendable, Equatable {
    private let logarithm: Int
    private let blockSize: Int
    private let parallelism: Int
    private let salt: [UInt8]
    private let binding: [UInt8]
    private let tag: [UInt8]

    /// The length of the binding key in bytes.
    package static let bindingLength = 32

    /// Makes the verifier from a known password hash.
    ///
    /// - Parameters:
    ///   - logarithm: log₂ of scrypt's N.
    ///   - binding: random bytes, different for each lease.
    package init(
        logarithm: Int, blockSize: Int, parallelism: Int, salt: [UInt8], digest: [UInt8], binding: [UInt8]
    ) {
        (self.logarithm, self.blockSize, self.parallelism) = (logarithm, blockSize, parallelism)
        (self.salt, self.binding) = (salt, binding)
        tag = Array(HMAC<SHA256>.authenticationCode(for: digest, using: SymmetricKey(data: binding)))
    }

    /// Whether `password` is correct. Blocks for as long as the cost requires, even if the password is wrong.
    ///
    /// - Throws: the error of the cryptography library.
    package func matches(_ password: SecretBytes) throws -> Bool {
        var passphrase = unsafe password.withUnsafeBytes { unsafe Array($0) }
        defer { wipe(&passphrase) }
        let key = try KDF.Scrypt.deriveKey(
            from: passphrase, salt: salt, outputByteCount: 32, rounds: 1 << logarithm, blockSize: blockSize,
            parallelism: parallelism)
        let digest = unsafe key.withUnsafeBytes { unsafe Array($0) }
        return HMAC<SHA256>.isValidAuthenticationCode(
            tag, authenticating: digest, using: SymmetricKey(data: binding))
    }
}

extension OfflinePassword {
    var members: MembersWriter {
        var members = MembersWriter()
        members.set(OfflineName.logarithm, logarithm)
        members.set(OfflineName.blockSize, blockSize)
        members.set(OfflineName.parallelism, parallelism)
        members.set(OfflineName.salt, Base64URL.encode(salt))
        members.set(OfflineName.binding, Base64URL.encode(binding))
        members.set(OfflineName.tag, Base64URL.encode(tag))
        return members
    }

    /// Reads the members of a lease. Refuses a cost above the allowed limits before anything is computed.
    ///
    /// - Throws: ``MembersFailure``, ``JOSEFailure``, or the decoder's error.
    init(_ members: Members) throws {
        logarithm = try members.integer(OfflineName.logarithm)
        blockSize = try members.integer(OfflineName.blockSize)
        parallelism = try members.integer(OfflineName.parallelism)
        salt = try Base64URL.decode(try members.string(OfflineName.salt))
        binding = try Base64URL.decode(try members.string(OfflineName.binding))
        tag = try Base64URL.decode(try members.string(OfflineName.tag))
        guard (1...20).contains(logarithm), (1...16).contains(blockSize), (1...4).contains(parallelism),
            (8...64).contains(salt.count), binding.count == Self.bindingLength, tag.count == 32
        else { throw JOSEFailure.malformed }
    }
}
