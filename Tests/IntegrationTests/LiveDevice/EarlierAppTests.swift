// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// Apps with this version of the library and with earlier versions, against the present broker: see
    /// `Tests/Clients/earlier_app.py`.
    @Suite struct EarlierAppTests {
        /// The versions of the library that the broker must serve.
        static let versions: [String] = {
            let folder = Repository.root + "/Tests/Fixtures/apps"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.map { $0.replacing(".json", with: "") }.sorted()
        }()

        @Test(arguments: versions)
        func `apps with each supported version of the library are served`(version: String) async throws {
            let live = try await LiveEnvironment.ready()
            try live.seat("Amara")
            let app = live.facts.apps[0]
            let run = try await live.runAside(
                "Clients/earlier_app.py",
                [
                    Repository.root + "/Tests/Fixtures/apps/\(version).json", live.path("run/broker.sock"),
                    app.clientID,
                    app.redirectURI, live.facts.authority, try live.person("Amara").userName,
                ], awaitsReady: false)
            let (code, log) = (try await run.waitForExit(), try run.log())
            #expect(code == 0, "\(log)")
            // An app with the present library finds what the earlier app left.
            #expect(try await live.app(1).accounts().current == nil)
            try await live.settle()
            try live.leave()
        }

        @Test func `this version of the library has a file`() { #expect(Self.versions.contains(BrokerVersion.current)) }
    }
}
