// SPDX-License-Identifier: Apache-2.0
package import Redaction

/// The chip that keeps the device's keys where the machine has one (a TPM 2.0): what it seals or makes, no other machine can
/// use.
///
/// Every call blocks for as long as the chip takes, from milliseconds to a minute for a new key: call it from a thread or a
/// ``BlockingQueue``, never from a task. Calls may come from any thread, and from several processes.
package protocol TrustedPlatform: Sendable {
    /// Seals a secret of at most 128 bytes to this chip.
    ///
    /// - Parameter authorization: what has to be shown to open it, at most 32 bytes; wrong ones are counted by the chip, which
    ///   refuses all of them after some (its dictionary-attack lock-out). nil for a secret that this machine opens by itself.
    /// - Throws: ``TrustedPlatformFailure``.
    func seal(_ secret: SecretBytes, authorization: SecretBytes?) throws(TrustedPlatformFailure) -> [UInt8]

    /// Opens what ``seal(_:authorization:)`` gave.
    ///
    /// - Throws: ``TrustedPlatformFailure``; `wrongAuthorization`, `lockedOut`, `foreign` where another chip sealed it or it was
    ///   changed.
    func unseal(_ blob: [UInt8], authorization: SecretBytes?) throws(TrustedPlatformFailure) -> SecretBytes

    /// Makes a key that never leaves the chip.
    ///
    /// - Throws: ``TrustedPlatformFailure``.
    func makeKey(_ kind: TPMKey.Kind) throws(TrustedPlatformFailure) -> TPMKey

    /// Signs a SHA-256 digest: PKCS #1 v1.5 with an RSA key (RFC 8017 section 8.2), `r` and `s` of 32 bytes each with a P-256 key.
    ///
    /// - Throws: ``TrustedPlatformFailure``.
    func sign(_ digest: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> [UInt8]

    /// Opens what was encrypted to the key by RSA-OAEP with SHA-1 (RFC 8017 section 7.1), an empty label.
    ///
    /// - Throws: ``TrustedPlatformFailure``; `refused` for what was not encrypted to this key.
    func decrypt(_ encrypted: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> SecretBytes

    /// What the device's counter says, which nobody can turn back; nil where the chip has none of this device yet.
    ///
    /// - Throws: ``TrustedPlatformFailure``.
    func counter() throws(TrustedPlatformFailure) -> UInt64?

    /// Adds one to the counter, and makes it first where there is none.
    ///
    /// - Returns: what it says now.
    /// - Throws: ``TrustedPlatformFailure``.
    func advanceCounter() throws(TrustedPlatformFailure) -> UInt64
}

/// A key in the chip: what its file holds. Only the chip that made it can use it.
package struct TPMKey: Sendable, Codable, Equatable {
    /// What a key is for; it does nothing else.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case rsaSigning, rsaDecryption, p256Signing
    }

    package let kind: Kind
    /// The public half: the modulus of 256 bytes (the exponent is 65537), or `x` and `y` of 32 bytes each.
    package let published: [UInt8]
    /// The private half, encrypted by the chip for itself, and what it is.
    package let blob: [UInt8]

    package init(kind: Kind, published: [UInt8], blob: [UInt8]) {
        (self.kind, self.published, self.blob) = (kind, published, blob)
    }
}
