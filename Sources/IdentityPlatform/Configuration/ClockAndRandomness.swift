// SPDX-License-Identifier: Apache-2.0
package import CryptoExtras
package import Storage

/// The clock and the randomness that the platform is given, so that a test can hold both.
package struct ClockAndRandomness: Sendable {
    /// The present time.
    package let now: @Sendable () -> Timestamp
    /// As many unpredictable bytes as asked for.
    package let randomBytes: @Sendable (Int) -> [UInt8]
    /// A fresh RSA key of 2048 bits. Blocks for about 0.1 s.
    package let makeRSAKey: @Sendable () throws -> _RSA.Signing.PrivateKey

    package init(
        now: @escaping @Sendable () -> Timestamp, randomBytes: @escaping @Sendable (Int) -> [UInt8],
        makeRSAKey: @escaping @Sendable () throws -> _RSA.Signing.PrivateKey
    ) {
        self.now = now
        self.randomBytes = randomBytes
        self.makeRSAKey = makeRSAKey
    }

    /// The machine's clock and the kernel's randomness.
    package static let system = ClockAndRandomness(
        now: { .now },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }, makeRSAKey: { try _RSA.Signing.PrivateKey(keySize: .bits2048) })

    /// A fresh identifier in the form of a random (version 4) GUID, RFC 9562 section 5.4.
    package func identifier<Subject>(of subject: Subject.Type = Subject.self) -> ID<Subject> {
        ID(version4: randomBytes(16))
    }
}

/// The platform's randomness for code that asks for a generator.
struct InjectedGenerator: RandomNumberGenerator {
    let environment: ClockAndRandomness

    mutating func next() -> UInt64 {
        environment.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
