// SPDX-License-Identifier: Apache-2.0
internal import Files
package import Redaction

/// The key under which the device seals its private files. It is stored in its own file, which contains either the key
/// itself or the key as sealed by the device's TPM.
package enum SealingKey {
    /// The file with the key itself. ``platformFile`` contains the key as sealed by the TPM.
    package static let plainFile = "sealing.key"
    package static let platformFile = "sealing.tpm"
    /// The key's length in bytes.
    static let length = 32

    /// Reads the key from its file, or has the TPM unseal it; nil if no key has been made yet.
    ///
    /// - Throws: ``DeviceStateDamaged``, ``TrustedPlatformFailure``, ``KeyFileExposed``, ``FileError``.
    static func read(in store: KeyStore) throws -> SecretBytes? {
        if let blob = try KeyFile.read(platformFile, in: store.directory) {
            let key = try store.requirePlatform().unseal(blob.withBytes { Array(copying: $0) }, authorization: nil)
            guard key.count == length else { throw DeviceStateDamaged(file: "keys/" + platformFile) }
            return key
        }
        // A store that has TPM keys but no sealing key was assembled from parts of other stores.
        guard try !store.usesPlatform() else { throw DeviceStateDamaged(file: "keys/" + platformFile) }
        guard let key = try KeyFile.read(plainFile, in: store.directory) else { return nil }
        guard key.count == length else { throw DeviceStateDamaged(file: "keys/" + plainFile) }
        return key
    }

    /// Reads the key, or makes it if there is none. If the device has a TPM, the TPM seals the key, and the plain file
    /// is removed.
    ///
    /// - Parameter mayMake: whether a missing key may be made.
    /// - Throws: as ``read(in:)``; ``DeviceStateDamaged`` if the key is missing and `mayMake` is false.
    package static func open(in store: KeyStore, mayMake: Bool) throws -> SecretBytes {
        let found = try read(in: store)
        guard found != nil || mayMake else { throw DeviceStateDamaged(file: "keys/" + plainFile) }
        let key = found ?? random()
        if let platform = store.platform {
            if try !store.usesPlatform() { try give(key, to: platform, store) }
            try store.directory.file(plainFile).remove()
        } else if found == nil {
            try store.directory.file(plainFile).replace(with: key.withBytes { Array(copying: $0) }, mode: 0o600)
        }
        return key
    }

    /// Makes the TPM seal the key, and starts the count of epochs. ``platformFile`` is written last, because its
    /// presence means that both are done.
    private static func give(_ key: SecretBytes, to platform: any TrustedPlatform, _ store: KeyStore) throws {
        try EpochCount(in: store, platform: platform, seal: DeviceSeal(sealingKey: key)).begin()
        let blob = try platform.seal(key, authorization: nil)
        try store.directory.file(platformFile).replace(with: blob, mode: 0o600)
    }

    package static func random() -> SecretBytes {
        var random = SystemRandomNumberGenerator()
        return SecretBytes(count: length) { span in
            for offset in stride(from: 0, to: length, by: 8) {
                span.storeBytes(of: random.next(), toByteOffset: offset, as: UInt64.self)
            }
        }
    }
}

extension Array<UInt8> {
    /// Copies the bytes of a borrowed span.
    init(copying bytes: RawSpan) { self = unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
}
