// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveFaults {
    /// Compares what the real device sends with the file that describes it (docs/operations/upgrade.md).
    @Suite struct DeviceFixtureTests {
        @Test func `a device sends its identity platform what the file of its version says`() async throws {
            let live = try await LiveEnvironment.ready()
            let anchored = "receipts anchored"
            let before = try textOfFile(live.logPath(of: .broker)).components(separatedBy: anchored).count - 1
            let log = try await live.recorded {
                try await live.comesBack()
                let left = try await live.command("leave")
                #expect(left.code == 0, "\(left.text)")
                try await live.comesBack()
                try live.seat("Carol")
                try await live.join()
                try live.leave()
                try await live.comesBack()
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                #expect(try await app.token(of: amara, refreshed: true).account == amara)
                #expect(try await app.signOut(amara))
                try await live.serverHearsOfEveryEnd()
                try await live.log(of: .broker, says: anchored, times: before + 1)
            }
            let outcome = try await Scratch.with { scratch in
                try scratch.write(log, to: "sent")
                let names = [
                    "leave", "joining administrator's token", "join", "nonce", "worker's refresh token",
                    "primary refresh token", "app's token", "session's status", "session's end", "receipts' anchor",
                ]
                let shapes = try await RunningProgram.start(
                    "/usr/bin/python3",
                    [
                        Repository.root + "/Tests/Proxies/wire_shape.py",
                        Repository.root + "/Tests/Fixtures/devices/\(BrokerVersion.current).json", scratch.path("sent"),
                    ] + names, log: "shapes", awaitsReady: false, in: scratch)
                return (code: try await shapes.waitForExit(), text: try shapes.log())
            }
            #expect(outcome.code == 0 && outcome.text.isEmpty, "\(outcome.text)")
        }
    }
}
