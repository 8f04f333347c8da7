// SPDX-License-Identifier: Apache-2.0

/// Bytes out of a random number generator; with the system's one, fit for keys and nonces.
package enum RandomBytes {
    package static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return make(count, using: &generator)
    }

    package static func make(_ count: Int, using generator: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
