// SPDX-License-Identifier: Apache-2.0
package import CryptoExtras
internal import Redaction

/// The device's two keys of the directory: one signs for the device, the other opens the session keys sent to it.
package struct DeviceKeys: Sendable {
    package let identity: _RSA.Signing.PrivateKey
    private let transportPEM: SecretBytes

    private static let identityFile = "device.pem"
    private static let transportFile = "transport.pem"

    /// Reads the keys.
    ///
    /// - Throws: ``DeviceStateDamaged`` where one is missing or unreadable, ``KeyFileExposed``.
    package init(in directory: Directory) throws {
        let identityPEM = try Self.read(directory, Self.identityFile)
        transportPEM = try Self.read(directory, Self.transportFile)
        do { identity = try _RSA.Signing.PrivateKey(pemRepresentation: KeyFile.text(identityPEM)) } catch {
            throw DeviceStateDamaged(file: Self.identityFile)
        }
        _ = try transport()
    }

    /// The key that opens session keys; made anew for each use, since the library's type stays on one thread.
    ///
    /// - Throws: ``DeviceStateDamaged``.
    package func transport() throws -> _RSA.Encryption.PrivateKey {
        do { return try _RSA.Encryption.PrivateKey(pemRepresentation: KeyFile.text(transportPEM)) } catch {
            throw DeviceStateDamaged(file: Self.transportFile)
        }
    }

    /// The public half of the transport key, DER.
    package func transportPublicKey() throws -> _RSA.Signing.PublicKey {
        try _RSA.Signing.PrivateKey(pemRepresentation: KeyFile.text(transportPEM)).publicKey
    }

    /// The keys that a join which came to nothing has left, or new ones.
    package static func leftOrMade(in directory: Directory) throws -> DeviceKeys {
        do { return try DeviceKeys(in: directory) } catch is DeviceStateDamaged { return try make(in: directory) }
    }

    /// Makes new keys and writes them down, readable by the broker's user alone.
    package static func make(in directory: Directory) throws -> DeviceKeys {
        try directory.make(mode: 0o700)
        for name in [identityFile, transportFile] {
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            try directory.file(name).replace(with: Array(key.pemRepresentation.utf8), mode: 0o600)
        }
        return try DeviceKeys(in: directory)
    }

    private static func read(_ directory: Directory, _ name: String) throws -> SecretBytes {
        guard let secret = try KeyFile.read(name, in: directory) else { throw DeviceStateDamaged(file: name) }
        return secret
    }
}
