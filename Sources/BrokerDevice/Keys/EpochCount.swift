// SPDX-License-Identifier: Apache-2.0

/// Whether the device's state is an older copy of itself: it counts its epochs, in a sealed file and in the counter of the
/// device's chip, which nobody can turn back.
///
/// The file is written before the chip counts: where a crash comes between, the file is one ahead, and counts on from there.
package struct EpochCount {
    private let file: SealedFile
    private let platform: any TrustedPlatform

    package static let fileName = "epoch.count"

    package init(in store: KeyStore, platform: any TrustedPlatform, seal: DeviceSeal) {
        file = SealedFile(Self.fileName, in: store.directory, seal: seal)
        self.platform = platform
    }

    /// Begins to count, where the chip is.
    ///
    /// - Throws: ``TrustedPlatformFailure``, ``FileError``.
    package func begin() throws { try write(platform.advanceCounter()) }

    /// Whether the chip has counted further than the state, or not as far.
    ///
    /// - Throws: ``DeviceStateDamaged``, ``TrustedPlatformFailure``, ``FileError``.
    package func isOfAnotherTime() throws -> Bool {
        let count = try read()
        guard let counter = try platform.counter() else { return true }
        return counter != count && counter &+ 1 != count
    }

    /// Counts one more epoch: from here every copy of the state that was made before is known as an older one.
    ///
    /// - Throws: `foreign` where somebody else has moved the counter; as ``isOfAnotherTime()``.
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
