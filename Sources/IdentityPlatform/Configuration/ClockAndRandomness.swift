// SPDX-License-Identifier: Apache-2.0
package import CryptoExtras
package import Storage

/// The platform's clock and randomness, which tests can replace.
package struct ClockAndRandomness: Sendable {
    /// The current time.
    package let now: @Sendable () -> Timestamp
    /// Returns the requested number of unpredictable bytes.
    package let randomBytes: @Sendable (Int) -> [UInt8]
    /// Generates an RSA key of 2048 bits. Blocks for about 0.1 s.
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

    /// Returns a new identifier: a random (version 4) GUID, RFC 9562 section 5.4.
    package func identifier<Subject>(of subject: Subject.Type = Subject.self) -> ID<Subject> {
        ID(version4: randomBytes(16))
    }
}

/// A random number generator that uses the platform's randomness.
struct InjectedGenerator: RandomNumberGenerator {
    let environment: ClockAndRandomness

    mutating func next() -> UInt64 {
        environment.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
