// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
package import Redaction

/// Seals what the device keeps for itself, under its sealing key (AES-256-GCM, NIST SP 800-38D): a copy of the file is of no
/// use elsewhere, and a file put in another's place does not open.
///
/// Where the sealing key is a file, whoever copies the whole state can open what is sealed.
package struct DeviceSeal: Sendable {
    private let key: SecretBytes

    private static let keyLabel = Array("baton sealed file".utf8)

    /// Reads the sealing key, once for the process: the device's chip is asked where it has one. Blocks.
    ///
    /// - Throws: ``DeviceStateDamaged`` where there is none, ``TrustedPlatformFailure``, ``KeyFileExposed``, ``FileError``.
    package init(in store: KeyStore) throws {
        guard let root = try SealingKey.read(in: store) else {
            throw DeviceStateDamaged(file: "keys/" + SealingKey.plainFile)
        }
        self.init(sealingKey: root)
    }

    /// - Parameter root: the device's sealing key; each use has a key derived from it.
    package init(sealingKey root: SecretBytes) {
        let derived = unsafe root.withUnsafeBytes { bytes in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: unsafe SymmetricKey(data: bytes), info: Self.keyLabel, outputByteCount: 32)
        }
        key = unsafe derived.withUnsafeBytes { unsafe SecretBytes(copying: $0) }
    }

    /// Seals `plain` as the content of the file `name`: nonce, ciphertext, tag.
    ///
    /// - Throws: the library's error.
    package func seal(_ plain: [UInt8], as name: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(plain, using: symmetric, authenticating: Array(name.utf8))
        guard let combined = box.combined else { throw SealBroken(file: name) }
        return Array(combined)
    }

    /// Opens the content of the file `name`; the caller wipes what it gets, where that is secret.
    ///
    /// - Throws: ``SealBroken`` where it was changed, is another file's, or was sealed by another device.
    package func open(_ sealed: [UInt8], as name: String) throws(SealBroken) -> [UInt8] {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            return Array(try AES.GCM.open(box, using: symmetric, authenticating: Array(name.utf8)))
        } catch { throw SealBroken(file: name) }
    }

    private var symmetric: SymmetricKey { unsafe key.withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
}

/// A sealed file that does not open: changed, another's, or of another device.
package struct SealBroken: Error, Equatable, CustomStringConvertible {
    package let file: String

    package var description: String { "seal_broken: \(file) was changed, or another device has sealed it." }
}
