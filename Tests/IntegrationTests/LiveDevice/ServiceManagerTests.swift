// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import MSAL
import TestSupport
import Testing
import UnixSocket

extension LiveDevice {
    /// What a service manager adds: sockets that exist before the broker, and a session key that outlives it.
    @Suite struct ServiceManagerTests {
        @Test func `a session outlives the supervisor only if the service manager keeps its key`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.broker)
            let manager = try live.serviceManager()
            try await live.start(.broker, by: manager)
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let epoch = try #require(try await live.status().epoch)
            #expect(try manager.keptNames == ["session-key-\(epoch)"])
            let timer = try textOfFile(live.path("device/session-timer.json"))

            try await live.kill(.broker)
            try await live.start(.broker, by: manager)
            #expect(try await live.status().epoch == epoch)
            #expect(try await live.status().session == "signedIn")
            #expect(try textOfFile(live.path("device/session-timer.json")) == timer)
            // Nobody sits at the browser, so a prompt would fail.
            #expect(try await app.token(of: amara, refreshed: true).account == amara)

            // The memory file that was kept. The test holds it open all the time.
            let kept = try #require(try manager.kept.first)
            #expect(try bytes(of: kept).contains { $0 != 0 })
            #expect(try await app.signOut(amara))
            #expect(try manager.keptNames == [])
            #expect(try bytes(of: kept) == [UInt8](repeating: 0, count: 32))
            #expect(try live.isClean)
            #expect(!FileManager.default.fileExists(atPath: live.path("device/session-timer.json")))

            try await live.kill(.broker)
            try await live.start(.broker)
            let again = try await live.signIn("Amara", through: app)
            try await live.kill(.broker)
            try await live.start(.broker)
            #expect(try await live.status().session != "signedIn")
            try await live.settle()
            #expect(try await seen { try await app.token(of: again) }.code == .interactionRequired)
        }

        @Test func `a committed sign-out is not undone by a key that was kept`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.broker)
            let manager = try live.serviceManager()
            try await live.start(.broker, by: manager)
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let kept = try #require(try manager.kept.first)
            try await live.kill(.broker)
            // Simulates a power failure between the commit and the destruction of the key.
            try FileManager.default.removeItem(atPath: live.path("device/live-session.json"))
            let journal = URL(filePath: live.path("device/journal"))
            let record = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: journal))
            let epoch = try #require(record["epoch"])
            let next = String((Int(epoch.prefix { $0 != "." }) ?? 0) + 1) + ".ffffffffffffffffffffffffffffffff"
            try JSONEncoder().encode(["state": "signingOut", "ended": epoch, "epoch": next]).write(to: journal)

            try await live.start(.broker, by: manager)
            #expect(try await app.accounts().current == nil)
            #expect(try bytes(of: kept) == [UInt8](repeating: 0, count: 32))
            #expect(try manager.keptNames == [])
            try await live.settle()
            #expect(try live.isClean)
            #expect(try await seen { try await app.token(of: amara) }.code == .interactionRequired)
        }

        @Test func `the broker serves on the sockets that it gets, and leaves them when it ends`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.broker)
            let listeners = try [("broker", "broker.sock"), ("agent", "agent.sock"), ("control", "control.sock")].map {
                ($0, try Listener(path: live.path("run/" + $1), mode: 0o600))
            }
            let manager = try live.serviceManager(sockets: listeners.map { ($0, $1.descriptor) })
            // A connection that is made before the broker starts must wait, and is answered when the broker starts.
            let app = try live.app(1)
            async let early = app.accounts()
            try await live.start(.broker, by: manager)
            #expect(try await early.current == nil)
            try await live.kill(.broker)
            async let meanwhile = app.accounts()
            try await live.start(.broker, by: manager)
            #expect(try await meanwhile.current == nil)
            // A broker that is asked to end leaves the sockets open, too.
            try live.send(SIGTERM, to: .broker)
            try await live.awaitEnd(of: .broker)
            async let afterwards = app.accounts()
            try await live.start(.broker, by: manager)
            #expect(try await afterwards.current == nil)
            try await live.kill(.broker)
        }

        @Test func `systemd's socket activation starts the broker when an app connects`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.broker)
            let activated = try await live.startBrokerOnDemand()
            #expect(try await live.app(1).accounts().current == nil)
            #expect(try await live.status().session == "ready")
            activated.kill()
            try await activated.waitForExit()
        }

        @Test(arguments: [("brokr", "is not known"), ("control", "listens at"), ("session-key-x", "is not known")])
        func `the broker does not start with an unknown descriptor`(name: String, cause: String) async throws {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.broker)
            let stranger = try Listener(path: live.path("run/stranger.sock"), mode: 0o600)
            let manager = try live.serviceManager(sockets: [(name, stranger.descriptor)])
            let said = try await live.refusal(.broker, by: manager)
            #expect(said.contains("inherited_descriptor_unusable: the descriptor \(name) \(cause)"))
        }

        private func bytes(of file: Descriptor) throws -> [UInt8] {
            try file.withNumber { number in
                try [UInt8](Data(contentsOf: URL(filePath: "/proc/self/fd/\(number)")))
            }
        }
    }
}
