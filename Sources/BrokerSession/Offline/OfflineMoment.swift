// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import Files
internal import Glibc

/// What a device can tell of the time by itself.
package struct OfflineMoment: Sendable, Equatable {
    /// Seconds since 1970 by the wall clock, which anybody at the machine may be able to set.
    package let wall: Int
    /// Seconds since the machine was started, sleep included; only a start sets it back.
    package let sinceBoot: Int
    /// The random name of this start of the machine.
    package let boot: String

    package init(wall: Int, sinceBoot: Int, boot: String) {
        (self.wall, self.sinceBoot, self.boot) = (wall, sinceBoot, boot)
    }
}

extension OfflineMoment {
    /// What the machine says now.
    ///
    /// - Throws: ``FileError``, or ``DeviceStateDamaged`` where the kernel names no start: then nothing can be measured.
    package static func now() throws -> OfflineMoment {
        let name = "/proc/sys/kernel/random/boot_id"
        guard let bytes = try AtomicFile(path: name).read(limit: 128), bytes.count >= 36 else {
            throw DeviceStateDamaged(file: name)
        }
        var sinceBoot = timespec()
        guard unsafe clock_gettime(CLOCK_BOOTTIME, &sinceBoot) == 0 else { throw DeviceStateDamaged(file: name) }
        return OfflineMoment(
            wall: Int(Glibc.time(nil)), sinceBoot: Int(sinceBoot.tv_sec),
            boot: String(decoding: bytes.prefix(36), as: UTF8.self))
    }
}
