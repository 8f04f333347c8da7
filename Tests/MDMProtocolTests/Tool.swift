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
