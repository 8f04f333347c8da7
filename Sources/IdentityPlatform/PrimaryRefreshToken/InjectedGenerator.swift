// SPDX-License-Identifier: Apache-2.0

/// The platform's randomness for code that asks for a generator.
struct InjectedGenerator: RandomNumberGenerator {
    let environment: ClockAndRandomness

    mutating func next() -> UInt64 {
        environment.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
