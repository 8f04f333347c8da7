// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import TestSupport
import Testing

/// All programs and the library report the version of the changelog.
@Suite struct VersionTests {
    @Test(arguments: [
        "baton", "batond", "baton-agent", "baton-browser-host", "baton-dev", "baton-helper", "baton-server",
    ])
    func `a program reports the version of the changelog`(program: String) async throws {
        let version = try changelogVersion()
        try await Scratch.with { scratch in
            let run = try await RunningProgram.start(
                try RunningProgram.built(program), ["--version"], log: "version", awaitsReady: false, in: scratch)
            #expect(try await run.waitForExit() == 0)
            #expect(try run.log() == version + "\n")
        }
    }

    @Test func `the library reports the version of the changelog`() throws {
        #expect(MSALPublicClientApplication.sdkVersion == (try changelogVersion()))
    }

    /// The version in the changelog's first heading of a release.
    private func changelogVersion() throws -> String {
        let changelog = try textOfFile(Repository.root + "/CHANGELOG.md")
        let heading = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
        return String(try #require(heading.dropFirst(3).split(separator: ",").first))
    }
}
