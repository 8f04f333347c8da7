// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Files
internal import FoundationEssentials
package import OAuth

/// The key that signs receipts (P-256): of its own, so that it stays over a new join of the device, and the chain goes on.
package struct ReceiptKey: Sendable {
    package let signing: SigningKey
    /// The public half.
    package let published: JSONWebKey

    private static let plainFile = "receipt.pem"
    private static let platformFile = "receipt.tpm"
    /// The files in the folder of the device's keys, of which there is one.
    package static let files = [plainFile, platformFile]

    private init(_ signing: SigningKey) throws {
        self.signing = signing
        published = try JSONWebKey(signing.verification)
    }

    /// Reads the key; nil where none was made yet. A key of the device's chip is read without the chip, which has to be there
    /// when it signs.
    ///
    /// - Throws: ``DeviceStateDamaged`` for a file that holds none, ``KeyFileExposed``, ``FileError``.
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

    /// Makes a new key and writes it down, readable by the broker's user alone; in the device's chip where it has one.
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
