// SPDX-License-Identifier: Apache-2.0
internal import Glibc

extension MDMSources {
    /// The machine's clock and the kernel's randomness.
    package static let system = MDMSources(
        now: {
            var time = timespec()
            unsafe clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        },
        random: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        })
}
