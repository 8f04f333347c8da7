// SPDX-License-Identifier: Apache-2.0

/// First figures of the identity platform, in one process without a network: `scripts/bench`.
///
/// Each line is a rate or a ratio measured in this very run, so that machines can be compared by their ratios.
@main
struct Benchmarks {
    static func main() async throws {
        let bench = try await IdentityBench(seconds: 5)
        try await bench.signatures()
        try await bench.refreshes(tasks: 1)
        try await bench.refreshes(tasks: 16)
        try await bench.signIns()
    }
}
