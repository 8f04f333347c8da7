// SPDX-License-Identifier: Apache-2.0
package import Redaction

/// The TPM 2.0 that keeps the device's keys, if the machine has a TPM. No other machine can use what this TPM seals or
/// makes.
///
/// Every call blocks for as long as the TPM takes, from milliseconds to a minute for a new key. Call it on a thread or
/// a ``BlockingQueue``, never in a task. Several threads and several processes may call it at once.
package protocol TrustedPlatform: Sendable {
    /// Seals a secret of at most 128 bytes to this TPM.
    ///
    /// - Parameter authorization: the value that is needed to unseal the secret, at most 32 bytes; nil if this machine
    ///   may unseal the secret without such a value. The TPM counts wrong values and, after too many, refuses all
    ///   values (its dictionary-attack lock-out).
    /// - Throws: ``TrustedPlatformFailure``.
    func seal(_ secret: SecretBytes, authorization: SecretBytes?) throws(TrustedPlatformFailure) -> [UInt8]

    /// Unseals the result of ``seal(_:authorization:)``.
    ///
    /// - Throws: ``TrustedPlatformFailure``, for example `wrongAuthorization`, `lockedOut`, or `foreign` if another
    ///   TPM sealed the secret or the data was changed.
    func unseal(_ blob: [UInt8], authorization: SecretBytes?) throws(TrustedPlatformFailure) -> SecretBytes

    /// Makes a key that never leaves the TPM.
    ///
    /// - Throws: ``TrustedPlatformFailure``.
    func makeKey(_ kind: TPMKey.Kind) throws(TrustedPlatformFailure) -> TPMKey

    /// Signs a SHA-256 digest. The signature is PKCS #1 v1.5 for an RSA key (RFC 8017 section 8.2), and `r` and `s` of
    /// 32 bytes each for a P-256 key.
    ///
    /// - Throws: ``TrustedPlatformFailure``.
    func sign(_ digest: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> [UInt8]

    /// Decrypts data that was encrypted to the key by RSA-OAEP with SHA-1 (RFC 8017 section 7.1) and an empty label.
    ///
    /// - Throws: ``TrustedPlatformFailure``; `refused` if the data was not encrypted to this key.
    func decrypt(_ encrypted: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> SecretBytes

    /// Returns the device's counter, which cannot be turned back; nil if the TPM has none for this device yet.
    ///
    /// - Throws: ``TrustedPlatformFailure``.
    func counter() throws(TrustedPlatformFailure) -> UInt64?

    /// Adds one to the counter; creates it first if there is none.
    ///
    /// - Returns: the new value.
    /// - Throws: ``TrustedPlatformFailure``.
    func advanceCounter() throws(TrustedPlatformFailure) -> UInt64
}

/// A key of the TPM, as it is stored in a file. Only the TPM that made the key can use it.
package struct TPMKey: Sendable, Codable, Equatable {
    /// The purpose of a key. A key cannot be used for another purpose.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case rsaSigning, rsaDecryption, p256Signing
    }

    package let kind: Kind
    /// The public part: the modulus of 256 bytes (the exponent is 65537), or `x` and `y` of 32 bytes each.
    package let published: [UInt8]
    /// The key in the TPM's own format: the public area, and the private area, which the TPM has encrypted for itself.
    package let blob: [UInt8]

    package init(kind: Kind, published: [UInt8], blob: [UInt8]) {
        (self.kind, self.published, self.blob) = (kind, published, blob)
    }
}
