// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing

extension LiveDevice {
    /// The device's push channel when notifications are lost, and when other programs try to open such a channel.
    @Suite struct PushChannelTests {
        @Test func `a lost notification delays the end and has no other effect`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.configured { server, broker in
                server["keepAlive"] = 1
                var resolve = broker["resolve"] as? [String: Any] ?? [:]
                resolve["mdm.baton.test"] = "127.0.0.2"
                broker["resolve"] = resolve
            } _: {
                let proxy = try await live.runAside("Proxies/dropping_proxy.py", ["\(try live.mdmPort)"])
                let app = try live.app(1)
                try await live.signIn("Amara", through: app)
                proxy.send(SIGUSR1)
                try await live.administer("user", "disable", try live.person("Amara").userName)
                try await live.journalLeaves("signedIn")
                #expect(try proxy.log().contains("swallowed"))
                #expect(try await app.accounts().current == nil)
                try await live.administer("user", "enable", try live.person("Amara").userName)
                try await live.settle()
                proxy.kill()
                try await proxy.waitForExit()
            }
        }

        @Test func `a second push channel of a device replaces the first, and is replaced in turn`() async throws {
            let live = try await LiveEnvironment.ready()
            let identity = try #require(try live.names(in: "device/management/identities").first)
            let other = try await live.runAside(
                "Clients/push_channel.py",
                try live.channelArguments + [live.path("device/management/identities/" + identity)])
            #expect(try await other.waitForExit() == 0)
            #expect(try other.log().contains(#""event":"present""#))
        }

        @Test func `the directory lists a device as managed from its first push channel until its enrollment ends`()
            async throws
        {
            try await Scratch.with { scratch in
                let live = try await LiveEnvironment(in: scratch)
                try await live.isManaged(true)
                try await live.administer("device", "unenroll", "ward-7-tablet")
                try await live.isManaged(false)
            }
        }

        @Test func `the server stops at once while a device is connected, and the session continues`() async throws {
            let live = try await LiveEnvironment.ready()
            let open = "push channel open"
            let before = try live.log(of: .broker).components(separatedBy: open).count - 1
            try await live.configured { _, broker in
                broker["logLevel"] = "debug"
            } _: {
                try await live.awaitAgent()
                // The broker and the session process keep connections open after their requests.
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                try await live.log(of: .broker, says: open, times: before + 1)
                let begun = ContinuousClock.now
                try live.send(SIGTERM, to: .server)
                try await live.awaitEnd(of: .server)
                let taken = ContinuousClock.now - begun
                print("PushChannelTests: stopped in \(taken)")
                #expect(taken < StopTests.limit)
                try await live.start(.server)
                _ = try await app.token(of: amara, refreshed: true)
                try await app.signOut(amara)
            }
        }

        @Test func `a stranger cannot open a push channel`() async throws {
            let live = try await LiveEnvironment.ready()
            let nobody = try await live.runAside(
                "Clients/push_channel.py", try live.channelArguments, awaitsReady: false)
            #expect(try await nobody.waitForExit() == 2)
            #expect(try nobody.log().contains("status 403"))
            // The authority that issues the devices' identities did not issue the server's own certificate.
            let stranger = live.path("stranger.pem")
            let pieces = try ["server/ca/server.pem", "server/ca/server.key"].map {
                try String(contentsOf: URL(filePath: live.path($0)), encoding: .utf8)
            }
            try Data(pieces.joined(separator: "\n").utf8).write(to: URL(filePath: stranger))
            let other = try await live.runAside(
                "Clients/push_channel.py", try live.channelArguments + [stranger], awaitsReady: false)
            #expect(try await other.waitForExit() == 3)
        }
    }
}

extension LiveEnvironment {
    /// Waits until the directory lists its only device as managed, or as unmanaged.
    fileprivate func isManaged(_ expected: Bool) async throws {
        struct Device: Decodable { let isManaged: Bool }
        let admin = AdminSocket(state: path("server"))
        try await untilLogged("isManaged: \(expected)") {
            let answer = try admin.call("GET", "/identity/tenants/-/devices")
            let devices = try JSONDecoder().decode([Device].self, from: Data(answer.body.utf8))
            return devices.map(\.isManaged) == [expected]
        }
    }

    fileprivate var mdmPort: Int {
        get throws { try #require(try configuration(of: .server)["mdmPort"] as? Int) }
    }

    fileprivate var channelArguments: [String] {
        get throws {
            ["mdm.baton.test", "\(try mdmPort)", "/mdm/\(facts.tenantID)/push", path("server/ca/root.pem")]
        }
    }
}
