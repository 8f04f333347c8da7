// SPDX-License-Identifier: Apache-2.0
import Foundation
import IdentityPlatform
import Testing

/// Checks, for every order of acts in a shared device's browser, that nothing that a person received there stays usable
/// after its epoch.
@Suite struct EpochExplorationTests {
    /// The length of the sequences, if the environment sets it. In that case, all states that differ only in names are
    /// continued, which takes a long time.
    private static let length = ProcessInfo.processInfo.environment["BATON_SEQUENCE_LENGTH"].flatMap(Int.init)

    @Test func `no order of sign-ins lets anything outlive its epoch or lets another person in`() async throws {
        let length = Self.length ?? 4
        let explorer = try await EpochExplorer(length: length, merges: Self.length == nil)
        try await explorer.explore(length)
        #expect(explorer.faults.isEmpty, "\(explorer.faults.joined(separator: "\n"))")
        #expect(explorer.got > 100)
    }
}
