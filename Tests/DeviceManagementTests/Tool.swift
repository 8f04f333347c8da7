// SPDX-License-Identifier: Apache-2.0
import Subprocess
import Testing

/// Runs an external program and returns its output. If the program fails, the test fails.
func tool(_ name: String, _ arguments: [String], input: [UInt8] = []) async throws -> [UInt8] {
    let result = try await run(
        .name(name), arguments: Arguments(arguments), input: .array(input), output: .bytes(limit: 64 << 20),
        error: .string(limit: 1 << 20))
    try #require(result.terminationStatus.isSuccess, "\(name): \(result.standardError)")
    return result.standardOutput
}

/// Deterministic pseudo-random numbers (SplitMix64); a failing run is repeated by its seed.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
