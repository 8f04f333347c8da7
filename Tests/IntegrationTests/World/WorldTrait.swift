// SPDX-License-Identifier: Apache-2.0
import Testing

/// Gives a suite one world, made before its first test and taken down after its last.
struct WorldTrait: SuiteTrait, TestScoping {
    var users: DeviceUsers?
    var hasBrowser = false

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await World.lend(users: users, hasBrowser: hasBrowser, function)
    }
}

extension Trait where Self == WorldTrait {
    static var world: Self { Self() }

    static func world(users: DeviceUsers?) -> Self { Self(users: users, hasBrowser: true) }

    /// A world whose workers use a real browser.
    static var worldWithBrowser: Self { Self(hasBrowser: true) }
}
