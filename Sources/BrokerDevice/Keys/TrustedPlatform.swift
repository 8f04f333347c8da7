// SPDX-License-Identifier: Apache-2.0
package import Redaction

/// The chip (a TPM 2.0) that keeps the device's keys, if the machine has such a chip. No other machine can use what
/// this chip seals or makes.
///
/// Every call blocks for as long as the chip takes, from milliseconds to a minute for a new key. Call it on a thread or
/// a ``BlockingQueue``, never in a task. Several threads and several processes may call at once.
package protocol TrustedPlatform: Sendable {
    /// Seals a secret of at most 128 bytes to this chip.
    ///
    /// - Parameter authorization: the value that is needed to open the secret, at most 32 bytes; nil if this machine
    ///   may open the secret without one. The chip counts wrong values and, after too many, refuses all values (its
    ///   dictionary-attack lock-out).
    /// - Throws: ``TrustedPlatformFailure``.
    func seal(_ secret: SecretBytes, authorization: SecretBytes?) throws(TrustedPlatformFailure) -> [UInt8]

    /// Opens the result of ``seal(_:authorization:)``.
    ///
    /// - Throws: ``TrustedPlatformFailure``: among others `wrongAuthorization`, `lockedOut`, or `foreign` if another
    ///   chip sealed the secret or the data was changed.
    func unseal(_ blob: [UInt8], authorization: SecretBytes?) throws(TrustedPlatformFailure) -> SecretBytes

    /// Makes a key that never leaves the chip.
    ///
    /// - Throws: ``TrustedPlatformFailure``.
    func makeKey(_ kind: TPMKey.Kind) throws(TrustedPlatformFailure) -> TPMKey

    /// Signs a SHA-256 digest: PKCS #1 v1.5 with an RSA key (RFC 8017 section 8.2), `r` and `s` of 32 bytes each with a
    /// P-256 key.
    ///
    /// - Throws: ``TrustedPlatformFailure``.
    func sign(_ digest: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> [UInt8]

    /// Decrypts what was encrypted to the key by RSA-OAEP with SHA-1 (RFC 8017 section 7.1) and an empty label.
    ///
    /// - Throws: ``TrustedPlatformFailure``; `refused` if it was not encrypted to this key.
    func decrypt(_ encrypted: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> SecretBytes

    /// Returns the device's counter, which cannot be turned back; nil if the chip has none for this device yet.
    ///
    /// - Throws: ``TrustedPlatformFailure``.
    func counter() throws(TrustedPlatformFailure) -> UInt64?

    /// Adds one to the counter; creates it first if there is none.
    ///
    /// - Returns: the new value.
    /// - Throws: ``TrustedPlatformFailure``.
    func advanceCounter() throws(TrustedPlatformFailure) -> UInt64
}

/// A key in the chip, in the form in which it is stored in a file. Only the chip that made it can use it.
package struct TPMKey: Sendable, Codable, Equatable {
    /// The purpose of a key. A key cannot be used for another purpose.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case rsaSigning, rsaDecryption, p256Signing
    }

    package let kind: Kind
    /// The public part: the modulus of 256 bytes (the exponent is 65537), or `x` and `y` of 32 bytes each.
    package let published: [UInt8]
    /// The chip's own form of the key: the public area, and the private area, which the chip has encrypted for itself.
    package let blob: [UInt8]

    package init(kind: Kind, published: [UInt8], blob: [UInt8]) {
        (self.kind, self.published, self.blob) = (kind, published, blob)
    }
}
