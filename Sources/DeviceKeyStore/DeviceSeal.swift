// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
package import Redaction

/// Seals the device's private files under its sealing key (AES-256-GCM, NIST SP 800-38D). A copied file cannot be
/// decrypted on another device, and a file cannot be decrypted under the name of another file.
///
/// If the sealing key is a file, anyone who copies the whole state can decrypt the sealed files.
package struct DeviceSeal: Sendable {
    private let key: SecretBytes

    private static let keyLabel = Array("baton sealed file".utf8)

    /// Reads the sealing key, with the device's TPM if it has one. Blocks; each process does this only once.
    ///
    /// - Throws: ``DeviceStateDamaged`` if there is no key, ``TrustedPlatformFailure``, ``KeyFileExposed``,
    ///   ``FileError``.
    package init(in store: KeyStore) throws {
        guard let root = try SealingKey.read(in: store) else {
            throw DeviceStateDamaged(file: "keys/" + SealingKey.plainFile)
        }
        self.init(sealingKey: root)
    }

    /// - Parameter root: the device's sealing key. Files are sealed with a key that is derived from it for this purpose
    ///   only.
    package init(sealingKey root: SecretBytes) {
        let derived = unsafe root.withUnsafeBytes { bytes in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: unsafe SymmetricKey(data: bytes), info: Self.keyLabel, outputByteCount: 32)
        }
        key = unsafe derived.withUnsafeBytes { unsafe SecretBytes(copying: $0) }
    }

    /// Seals `plain` as the content of the file `name`. The result is nonce, ciphertext, tag.
    ///
    /// - Throws: the library's error.
    package func seal(_ plain: [UInt8], as name: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(plain, using: symmetric, authenticating: Array(name.utf8))
        guard let combined = box.combined else { throw SealBroken(file: name) }
        return Array(combined)
    }

    /// Decrypts the content of the file `name`. If the content is secret, the caller must wipe it.
    ///
    /// - Throws: ``SealBroken`` if the content was changed, belongs to another file, or was sealed by another device.
    package func open(_ sealed: [UInt8], as name: String) throws(SealBroken) -> [UInt8] {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            return Array(try AES.GCM.open(box, using: symmetric, authenticating: Array(name.utf8)))
        } catch { throw SealBroken(file: name) }
    }

    private var symmetric: SymmetricKey { unsafe key.withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
}

/// A sealed file cannot be decrypted: it was changed, or it belongs to another file or another device.
package struct SealBroken: Error, Equatable, CustomStringConvertible {
    package let file: String

    package var description: String { "seal_broken: \(file) was changed, or another device has sealed it." }
}
