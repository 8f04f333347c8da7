// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing

extension LiveDevice {
    /// The device's line when something goes wrong with it.
    @Suite struct LineTests {
        @Test func `a nudge that gets lost delays the end, and no more`() async throws {
            let world = try await World.ready()
            try await world.configured { server, broker in
                server["keepAlive"] = 1
                var resolve = broker["resolve"] as? [String: Any] ?? [:]
                resolve["mdm.baton.test"] = "127.0.0.2"
                broker["resolve"] = resolve
            } _: {
                let proxy = try await world.runAside("proxy.py", ["\(try world.mdmPort)"])
                let app = try world.app(1)
                try await world.signIn("Amara", through: app)
                proxy.send(SIGUSR1)
                try await world.administer("user", "disable", try world.person("Amara").userName)
                try await world.journalLeaves("signedIn")
                #expect(try proxy.log().contains("swallowed"))
                #expect(try await app.accounts().current == nil)
                try await world.administer("user", "enable", try world.person("Amara").userName)
                try await world.settle()
                proxy.kill()
                try await proxy.waitForExit()
            }
        }

        @Test func `a second line of a device takes the place of the first, and loses it again`() async throws {
            let world = try await World.ready()
            let identity = try #require(try world.names(in: "device/management/identities").first)
            let other = try await world.runAside(
                "line.py", try world.lineArguments + [world.path("device/management/identities/" + identity)])
            #expect(try await other.waitForExit() == 0)
            #expect(try other.log().contains(#""event":"present""#))
        }

        @Test func `the directory knows a device as managed from its line on until its enrolment ends`() async throws {
            try await Scratch.with { scratch in
                let world = try await World(in: scratch)
                try await world.isManaged(true)
                try await world.administer("device", "unenroll", "ward-7-tablet")
                try await world.isManaged(false)
            }
        }

        @Test func `a stranger gets no line`() async throws {
            let world = try await World.ready()
            let nobody = try await world.runAside("line.py", try world.lineArguments, awaitsReady: false)
            #expect(try await nobody.waitForExit() == 2)
            #expect(try nobody.log().contains("status 403"))
            // The server's own certificate is of another authority than devices' identities.
            let stranger = world.path("stranger.pem")
            let pieces = try ["server/ca/server.pem", "server/ca/server.key"].map {
                try String(contentsOf: URL(filePath: world.path($0)), encoding: .utf8)
            }
            try Data(pieces.joined(separator: "\n").utf8).write(to: URL(filePath: stranger))
            let other = try await world.runAside("line.py", try world.lineArguments + [stranger], awaitsReady: false)
            #expect(try await other.waitForExit() == 3)
        }
    }
}

extension World {
    /// Waits until the directory says so of its only device.
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

    fileprivate var lineArguments: [String] {
        get throws {
            ["mdm.baton.test", "\(try mdmPort)", "/mdm/\(facts.tenantID)/line", path("server/ca/root.pem")]
        }
    }
}
