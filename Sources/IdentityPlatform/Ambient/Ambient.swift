// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The clock and the randomness that the platform is given, so that a test can hold both.
package struct Ambient: Sendable {
    /// The present time.
    package let now: @Sendable () -> Timestamp
    /// As many unpredictable bytes as asked for.
    package let randomBytes: @Sendable (Int) -> [UInt8]

    package init(now: @escaping @Sendable () -> Timestamp, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
        self.now = now
        self.randomBytes = randomBytes
    }

    /// The machine's clock and the kernel's randomness.
    package static let system = Ambient(
        now: {
            var time = timespec()
            unsafe clock_gettime(CLOCK_REALTIME, &time)
            return Timestamp(rawValue: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
        },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        })

    /// A fresh identifier in the form of a random (version 4) GUID, RFC 9562 section 5.4.
    package func identifier<Subject>(of subject: Subject.Type = Subject.self) -> ID<Subject> {
        ID(version4: randomBytes(16))
    }
}
