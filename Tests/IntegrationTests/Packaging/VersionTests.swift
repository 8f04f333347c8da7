// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import TestSupport
import Testing

/// One release, one version: whoever asks a program hears what the changelog and the packages say.
@Suite struct VersionTests {
    @Test(arguments: ["baton", "batond", "baton-agent", "baton-browser-host", "baton-helper", "baton-server"])
    func `a program says the version of the changelog`(program: String) async throws {
        let version = try changelogVersion()
        try await Scratch.with { scratch in
            let run = try await RunningProgram.start(
                try RunningProgram.built(program), ["--version"], log: "version", awaitsReady: false, in: scratch)
            #expect(try await run.waitForExit() == 0)
            #expect(try run.log() == version + "\n")
        }
    }

    @Test func `the library says the version of the changelog`() throws {
        #expect(MSALPublicClientApplication.sdkVersion == (try changelogVersion()))
    }

    /// What stands in the first heading of a release.
    private func changelogVersion() throws -> String {
        let changelog = try textOfFile(Repository.root + "/CHANGELOG.md")
        let heading = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
        return String(try #require(heading.dropFirst(3).split(separator: ",").first))
    }
}
