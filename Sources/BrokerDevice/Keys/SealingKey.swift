// SPDX-License-Identifier: Apache-2.0
internal import Files
package import Redaction

/// The key that everything is sealed under that the device keeps for itself: in a file of its own, or sealed in the device's
/// chip.
package enum SealingKey {
    /// The file with the key, and the one with what the chip made of it.
    package static let plainFile = "sealing.key"
    package static let platformFile = "sealing.tpm"
    /// Bytes of the key.
    static let length = 32

    /// Reads the key, or has the chip open it; nil where none was made yet.
    ///
    /// - Throws: ``DeviceStateDamaged``, ``TrustedPlatformFailure``, ``KeyFileExposed``, ``FileError``.
    static func read(in store: KeyStore) throws -> SecretBytes? {
        if let blob = try KeyFile.read(platformFile, in: store.directory) {
            let key = try store.requirePlatform().unseal(blob.withBytes { Array(copying: $0) }, authorization: nil)
            guard key.count == length else { throw DeviceStateDamaged(file: "keys/" + platformFile) }
            return key
        }
        // A key of the chip without its sealing key is a state that somebody has put together.
        guard try !store.usesPlatform() else { throw DeviceStateDamaged(file: "keys/" + platformFile) }
        guard let key = try KeyFile.read(plainFile, in: store.directory) else { return nil }
        guard key.count == length else { throw DeviceStateDamaged(file: "keys/" + plainFile) }
        return key
    }

    /// Reads the key, and makes it where there is none. Where there is a chip, a key that was a file until now is sealed in it.
    ///
    /// - Parameter mayMake: whether there may be none.
    /// - Throws: as ``read(in:)``; ``DeviceStateDamaged`` where there must be one and is none.
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

    /// Has the chip seal the key, and count the device's epochs from now on. The file by whose presence that is known comes last.
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
    /// A copy of bytes that are lent.
    init(copying bytes: RawSpan) { self = unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
}
