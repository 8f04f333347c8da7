// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveBrowser {
    /// Programs of the session's user that overload the broker's socket during hand-overs.
    @Suite struct HostileAppTests {
        /// The behaviour of the hostile processes; see `Tests/Clients/hostile_app.py`.
        enum Mode: String, CaseIterable, Sendable {
            case loop, hold, mute, half, queue
            /// Uses processor time, but does not use the broker.
            case spin

            /// With `BATON_HOSTILE_MODES=all`, every mode; otherwise only one mode. The test with few files uses two
            /// other modes.
            static var played: [Mode] {
                ProcessInfo.processInfo.environment["BATON_HOSTILE_MODES"] == "all"
                    ? allCases.filter { $0 != .spin } : [.half]
            }
        }

        @Test(arguments: Mode.played)
        func `eight hostile programs neither delay a hand-over beyond its limit nor get a healthy app locked`(
            mode: Mode
        ) async throws {
            let live = try await LiveEnvironment.ready()
            let broker = try live.pid(of: .broker)
            // With eight processes, the limits of the single processes add up to more than the total limit.
            try await beside(8, mode, in: live) {
                try await handover(live, mode == .loop ? "Amara" : "Bo")
                // The hostile processes can take only a limited amount of memory and files, in the supervisor and in
                // the process that serves apps.
                let session = try live.sessionProcess().pid
                #expect(try openFiles(of: broker) < 500 && openFiles(of: session) < 1500)
                #expect(try memory(of: broker) < 256 << 10 && memory(of: session) < 256 << 10)
                let reports = try await live.status().connectionLimits ?? []
                #expect(mode == .loop || reports.contains { $0.limit == .process && $0.user == getuid() })
            }
            // The broker has not been restarted.
            #expect(try await live.status().lockedApps.isEmpty)
            #expect(try openFiles(of: broker) > 0)
        }

        @Test func `every sign-out succeeds even if the broker may open only few files`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.broker)
            try await live.start(.broker, through: ["/usr/bin/prlimit", "--nofile=192:192"])
            try await live.awaitAgent()
            let broker = try live.pid(of: .broker)
            for mode in [Mode.loop, .hold] {
                try await beside(3, mode, in: live) { try await handover(live, mode == .loop ? "Amara" : "Bo") }
            }
            #expect(try live.pid(of: .broker) == broker)
            #expect(try openFiles(of: broker) > 0)
            try await live.kill(.broker)
        }

        @Test func `flooding the broker delays another app's token hardly more than using processor time does`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            var medians: [Mode: Duration] = [:]
            for mode in [Mode.spin, .queue] {
                var times: [Duration] = []
                try await beside(3, mode, in: live) {
                    for _ in 0..<20 {
                        let begin = ContinuousClock.now
                        // Opens a new connection, and requests a token that the broker already has.
                        _ = try await live.app(1).token(of: amara)
                        times.append(ContinuousClock.now - begin)
                    }
                }
                medians[mode] = times.sorted()[times.count / 2]
            }
            let (spin, queue) = (try #require(medians[.spin]), try #require(medians[.queue]))
            // Without the limit, the requests took six seconds on an idle machine.
            #expect(queue < max(spin * 20, .seconds(1)), "\(queue) : \(spin)")
            #expect(try await app.signOut(amara))
        }

        /// Runs `body` while `count` processes misbehave.
        private func beside(_ count: Int, _ mode: Mode, in live: LiveEnvironment, _ body: () async throws -> Void)
            async throws
        {
            let client = try #require(live.facts.apps.first { $0.number == 3 }).clientID
            var hostile: [RunningProgram] = []
            defer { for program in hostile { program.kill() } }
            for _ in 0..<count {
                hostile.append(
                    try await live.runAside(
                        "Clients/hostile_app.py", [live.path("run/broker.sock"), mode.rawValue, client]))
            }
            try await body()
        }

        /// A worker signs in and out through an app. Another app has an eraser and reports that it has erased.
        private func handover(_ live: LiveEnvironment, _ worker: String) async throws {
            let app = try live.app(1)
            let account = try await live.signIn(worker, through: app)
            let client = ClientRequest(clientID: try #require(live.facts.apps.first { $0.number == 2 }).clientID)
            let holder = try RawApp(live)
            let ended = try await holder.greet().epoch
            _ = try await holder.ask(.registerEraser, client.entries).get()
            let asked = ContinuousClock.now
            _ = try await live.status()
            #expect(ContinuousClock.now - asked < .seconds(Soak.isRunning ? 2 : 20))
            // The broker reports success to the app only if the sign-out ends within ten seconds by the broker's clock.
            async let answer = app.signOut(account)
            #expect(try await holder.answer() == .ended)
            let eraser = try RawApp(live)
            try await eraser.greet(endedEpoch: ended)
            let done = EraserReport(client: client, epoch: ended, result: .done)
            _ = try await eraser.ask(.acknowledge, done.entries).get()
            #expect(try await answer)
            #expect(try await live.status().lockedApps.isEmpty)
        }

        /// The resident memory of a process, in KiB.
        private func memory(of process: Int32) throws -> Int {
            let lines = try textOfFile("/proc/\(process)/status").split(separator: "\n")
            let words = lines.first { $0.hasPrefix("VmRSS:") }?.split(whereSeparator: { $0 == " " || $0 == "\t" })
            return try #require(words.flatMap { $0.count > 1 ? Int($0[1]) : nil })
        }

        private func openFiles(of process: Int32) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
        }
    }
}
