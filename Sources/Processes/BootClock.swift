// SPDX-License-Identifier: Apache-2.0
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
}
