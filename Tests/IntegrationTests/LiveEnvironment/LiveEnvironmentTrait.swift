// SPDX-License-Identifier: Apache-2.0
import Testing

/// Gives a suite one environment, made before its first test and taken down after its last.
struct LiveEnvironmentTrait: SuiteTrait, TestScoping {
    var users: DeviceUsers?
    /// Whether people use a real browser; if nil, the environment decides.
    var hasBrowser: Bool?

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await LiveEnvironment.lend(users: users, hasBrowser: hasBrowser, function)
    }
}

extension Trait where Self == LiveEnvironmentTrait {
    static var live: Self { Self() }

    static func live(users: DeviceUsers?, hasBrowser: Bool = true) -> Self {
        Self(users: users, hasBrowser: hasBrowser)
    }

    /// An environment whose workers use a real browser.
    static var liveWithBrowser: Self { Self(hasBrowser: true) }
}
