// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
package import OAuth

/// The key that signs receipts (P-256): of its own, so that it stays over a new join of the device, and the chain goes on.
package struct ReceiptKey: Sendable {
    package let signing: SigningKey
    /// The public half.
    package let published: JSONWebKey

    /// The file in the folder of the device's keys.
    package static let fileName = "receipt.pem"

    private init(_ key: P256.Signing.PrivateKey) throws {
        signing = .p256(key)
        published = try JSONWebKey(signing.verification)
    }

    /// Reads the key; nil where none was made yet.
    ///
    /// - Throws: ``DeviceStateDamaged`` for a file that holds none, ``KeyFileExposed``, ``FileError``.
    package init?(in directory: Directory) throws {
        guard let pem = try KeyFile.read(Self.fileName, in: directory) else { return nil }
        do { try self.init(P256.Signing.PrivateKey(pemRepresentation: KeyFile.text(pem))) } catch {
            throw DeviceStateDamaged(file: Self.fileName)
        }
    }

    /// Makes a new key and writes it down, readable by the broker's user alone.
    package static func make(in directory: Directory) throws -> ReceiptKey {
        let key = P256.Signing.PrivateKey()
        try directory.make(mode: 0o700)
        try directory.file(fileName).replace(with: Array(key.pemRepresentation.utf8), mode: 0o600)
        return try ReceiptKey(key)
    }
}
