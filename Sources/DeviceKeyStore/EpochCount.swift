// SPDX-License-Identifier: Apache-2.0

/// Detects that the device's state is an older copy of itself. Epochs are counted in a sealed file and in the TPM's
/// counter, which cannot be turned back.
///
/// The file is written before the TPM's counter is advanced. After a crash between these two steps, the count in the
/// file is one ahead of the TPM's, and counting continues from the file's count.
package struct EpochCount {
    private let file: SealedFile
    private let platform: any TrustedPlatform

    package static let fileName = "epoch.count"

    package init(in store: KeyStore, platform: any TrustedPlatform, seal: DeviceSeal) {
        file = SealedFile(Self.fileName, in: store.directory, seal: seal)
        self.platform = platform
    }

    /// Starts the count from the TPM's counter.
    ///
    /// - Throws: ``TrustedPlatformFailure``, ``FileError``.
    package func begin() throws { try write(platform.advanceCounter()) }

    /// Whether the TPM's counter does not belong to this state: the count in the file neither equals the counter nor is
    /// one ahead of it.
    ///
    /// - Throws: ``DeviceStateDamaged``, ``TrustedPlatformFailure``, ``FileError``.
    package func isOfAnotherTime() throws -> Bool {
        let count = try read()
        guard let counter = try platform.counter() else { return true }
        return counter != count && counter &+ 1 != count
    }

    /// Counts one more epoch. From then on, any earlier copy of the state is recognised as older.
    ///
    /// - Throws: `foreign` if something else has advanced the counter; otherwise as ``isOfAnotherTime()``.
    package func advance() throws {
        var count = try read()
        if try platform.counter() == count {
            count += 1
            try write(count)
        }
        guard try platform.advanceCounter() == count else { throw TrustedPlatformFailure.foreign }
    }

    private func read() throws -> UInt64 {
        let damage = DeviceStateDamaged(file: "keys/" + Self.fileName)
        do {
            guard let bytes = try file.read(limit: 256),
                let count = UInt64(String(decoding: bytes, as: UTF8.self)), count < .max
            else { throw damage }
            return count
        } catch is SealBroken { throw damage }
    }

    private func write(_ count: UInt64) throws { try file.replace(with: Array(String(count).utf8)) }
}
