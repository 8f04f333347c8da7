// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// Gives a suite a folder, `w`, in which `baton-dev up` has made an environment and exited successfully.
///
/// The tests of the suite run one after the other, and each test ends the processes that it starts there.
struct MadeEnvironmentTrait: SuiteTrait, TestScoping {
    @TaskLocal private static var current: Scratch?

    /// The suite's folder.
    static var lent: Scratch {
        get throws {
            guard let current else { throw TestProblem("the suite lacks the trait .madeEnvironment") }
            return current
        }
    }

    /// The arguments of the command that makes the environment, or starts it again. Any program can take the place of
    /// the sample app; a small program reaches the device sooner.
    static func arguments(_ root: String) -> [String] {
        [
            "up", "--json", "--directory", root, "--sample", "/usr/bin/true", "--ward-round", "/usr/bin/true",
            "--unjoined",
        ]
    }

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let up = try await CommandRun.start(
                Self.arguments(scratch.path("w")), of: "baton-dev", awaitsReady: true, in: scratch)
            guard try await up.program.stop() == 0 else {
                throw TestProblem("baton-dev up did not end well:\n\(try textOfFile(up.errors))")
            }
            try await Self.$current.withValue(scratch, operation: function)
        }
    }
}

extension Trait where Self == MadeEnvironmentTrait {
    static var madeEnvironment: Self { Self() }
}
