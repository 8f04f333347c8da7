// SPDX-License-Identifier: Apache-2.0

/// The platform's randomness for code that asks for a generator.
struct AmbientGenerator: RandomNumberGenerator {
    let ambient: Ambient

    mutating func next() -> UInt64 {
        ambient.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
