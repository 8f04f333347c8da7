// SPDX-License-Identifier: Apache-2.0
import Foundation
import IdentityPlatform
import Testing

/// The promise of a shared device, over every order in which its browser may be used.
@Suite struct EpochExplorationTests {
    /// How long the sequences are where the environment says so: then states that are alike but for names are each gone
    /// on from, which takes long.
    private static let length = ProcessInfo.processInfo.environment["BATON_SEQUENCE_LENGTH"].flatMap(Int.init)

    @Test func `in no order of sign-ins does anything outlive its epoch or let another person in`() async throws {
        let length = Self.length ?? 4
        let explorer = try await EpochExplorer(length: length, merges: Self.length == nil)
        try await explorer.explore(length)
        #expect(explorer.faults.isEmpty, "\(explorer.faults.joined(separator: "\n"))")
        #expect(explorer.got > 100)
    }
}
