// SPDX-License-Identifier: Apache-2.0
package import Files
internal import Glibc

/// The clock `CLOCK_BOOTTIME` of clock_gettime(2).
///
/// The clock counts the time since the machine was started, including sleep. It is the same in every process and cannot
/// be set.
package enum BootClock {
    @Sendable package static func now() -> Duration {
        var time = timespec()
        // This cannot fail: every kernel with pidfds has this clock.
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The kernel's random id of this start of the machine (random(4)).
    ///
    /// - Throws: ``FileError``, with `ENODATA` if the kernel provides none.
    package static func id() throws(FileError) -> String {
        let path = "/proc/sys/kernel/random/boot_id"
        guard let bytes = try AtomicFile(path: path).read(limit: 128), bytes.count >= 36 else {
            throw FileError(.read, errno: ENODATA, path: path)
        }
        return String(decoding: bytes.prefix(36), as: UTF8.self)
    }
}
