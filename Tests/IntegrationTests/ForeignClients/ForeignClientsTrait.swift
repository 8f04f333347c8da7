// SPDX-License-Identifier: Apache-2.0
import Testing

/// Gives a suite, or one test, a server for foreign clients, started before it and ended after it.
///
/// The tests of such a suite run one after the other and leave the server as they found it.
struct ForeignClientsTrait: SuiteTrait, TestTrait, TestScoping {
    /// Additional keys of the server's configuration file.
    let settings: [String: any Sendable]

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await ForeignClients.lend(settings, function)
    }
}

extension Trait where Self == ForeignClientsTrait {
    static var foreignClients: Self { Self(settings: [:]) }

    static func foreignClients(_ settings: [String: any Sendable]) -> Self { Self(settings: settings) }
}
