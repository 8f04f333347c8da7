// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Files
internal import FoundationEssentials
package import OAuth

/// The key that signs receipts (P-256). It is separate from the join's keys: after a new join, the chain continues with
/// the same receipt key.
package struct ReceiptKey: Sendable {
    package let signing: SigningKey
    /// The public part.
    package let published: JSONWebKey

    private static let plainFile = "receipt.pem"
    private static let platformFile = "receipt.tpm"
    /// The possible file names in the folder of the device's keys. At most one of them exists.
    package static let files = [plainFile, platformFile]

    private init(_ signing: SigningKey) throws {
        self.signing = signing
        published = try JSONWebKey(signing.verification)
    }

    /// Reads the key; nil if none has been made yet. Reading a TPM key does not need the TPM; signing does.
    ///
    /// - Throws: ``DeviceStateDamaged`` if the file holds no such key, ``KeyFileExposed``, ``FileError``.
    package init?(in store: KeyStore) throws {
        if let key = try store.platformKey(Self.platformFile, .p256Signing) {
            try self.init(.held(try TPMSigner(key, in: store)))
            return
        }
        guard let pem = try KeyFile.read(Self.plainFile, in: store.directory) else { return nil }
        do { try self.init(.p256(P256.Signing.PrivateKey(pemRepresentation: KeyFile.text(pem)))) } catch {
            throw DeviceStateDamaged(file: Self.plainFile)
        }
    }

    /// Makes a new key, in the device's TPM if it has one, and writes its file, which only the broker's user can read.
    ///
    /// - Throws: ``TrustedPlatformFailure``, ``FileError``.
    package static func make(in store: KeyStore) throws -> ReceiptKey {
        try store.directory.make(mode: 0o700)
        if try store.makesPlatformKeys() {
            let key = try store.makePlatformKey(platformFile, .p256Signing)
            return try ReceiptKey(.held(try TPMSigner(key, in: store)))
        }
        let key = P256.Signing.PrivateKey()
        try store.directory.file(plainFile).replace(with: Array(key.pemRepresentation.utf8), mode: 0o600)
        return try ReceiptKey(.p256(key))
    }
}
