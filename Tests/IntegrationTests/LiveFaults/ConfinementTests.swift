// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import CLinux
import Foundation
import Glibc
import Leftovers
import MSAL
import Processes
import TestSupport
import Testing
import UnixSocket

extension LiveFaults {
    /// A device with `baton-helper`: its browser's files are in memory-backed storage, and its processes in a control
    /// group.
    @Suite(.live(users: LiveEnvironment.usersWithHelper, hasBrowser: false)) struct ConfinementTests {
        @Test func `a confined browser is ended by the helper, and the receipt marks this as enforced`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withHelper { helper in
                try await live.awaitAgent()
                #expect(try await live.finding("helper_serves") != nil)
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                let storage = try #require(try helper.mounts().first)
                let names = try FileManager.default.contentsOfDirectory(atPath: storage).sorted()
                #expect(names == ["browser", "home", "start-1.html", "t"])
                let group = try #require(try helper.groups().first)
                #expect(try !textOfFile(group + "/cgroup.procs").isEmpty)
                #expect(try await app.signOut(amara))
                try await live.settle()
                #expect(try helper.mounts() == [] && helper.groups() == [])
                #expect(!FileManager.default.fileExists(atPath: storage))
                let item = try await live.newestReceipt(says: "browser")
                #expect(item?.grade == "enforced" && item?.observer == "broker" && item?.result == "done")
                try await live.findsNothing(of: "Amara")
            }
        }

        @Test func `the receipt names the places in which the session's user has left something`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withHelper { helper in
                try await live.awaitAgent()
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                let file = "/var/tmp/baton-test-\(UUID().uuidString)"
                let program = try helper.userProgram("echo note > \(file)")
                #expect(try await blocking { try program.waitForExit() } == .exited(0))
                live.scratch.atEnd { try? FileManager.default.removeItem(atPath: file) }
                #expect(try await app.signOut(amara))
                try await live.settle()
                let receipt = try await live.shownReceipt()
                #expect(receipt.left.contains("temporary_files"))
                let expected = Leftover.unobserved(
                    items: receipt.items.map(\.name), left: receipt.left, searched: Set(SearchedPlace.allCases))
                // The search for other folders may not have ended yet.
                let folders = [Leftover.otherFolders, Leftover.newFolders]
                #expect(receipt.unobserved.filter { !folders.contains($0) } == expected)
                #expect(receipt.unobserved.contains("clipboard") && !receipt.unobserved.contains("home"))
            }
        }

        @Test func `whichever program is killed, nothing of a confined browser is left`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withHelper { helper in
                let app = try live.app(1)
                for victim in [LiveEnvironment.Program.agent, .broker] {
                    try await live.awaitAgent()
                    try await live.signIn("Amara", through: app)
                    let storage = try #require(try helper.mounts().first)
                    try await live.kill(victim)
                    try await live.start(victim)
                    try await live.awaitAgent()
                    try await live.settle()
                    #expect(try helper.mounts() == [] && helper.groups() == [], "\(victim)")
                    #expect(!FileManager.default.fileExists(atPath: storage))
                    // A broker cannot know whether an earlier broker confined each browser.
                    let grade = try await live.newestReceipt(says: "browser")?.grade
                    if victim == .broker { #expect(try await live.shownReceipt().left == ["unknown"]) }
                    #expect(grade == (victim == .broker ? "reported" : "enforced"))
                }
            }
        }

        @Test func `a crash at any step of the confinement leaves nothing, and the next worker signs in`() async throws
        {
            let live = try await LiveEnvironment.ready()
            try await live.withHelper { helper in
                for point in Failpoint.allCases where [.confining, .releasing].contains(point.step) {
                    let victim: LiveEnvironment.Program = point.program == .agent ? .agent : .broker
                    try await live.kill(victim)
                    try await live.start(victim, dyingAt: point)
                    try await live.awaitAgent()
                    let app = try live.app(1)
                    try live.seat("Amara")
                    if point.step == .confining {
                        async let answer: MSALResult? = try? app.signIn()
                        try await live.awaitEnd(of: victim)
                        if victim == .broker { app.close() }
                        _ = await answer
                    } else {
                        let account = try await app.signIn().account
                        async let answer: Bool? = try? app.signOut(account)
                        try await live.awaitEnd(of: victim)
                        app.close()
                        _ = await answer
                    }
                    try live.leave()
                    try await live.start(victim)
                    try await live.awaitAgent()
                    try await live.settle()
                    #expect(try helper.mounts() == [] && helper.groups() == [], "\(point)")
                    let next = try live.app(2)
                    let bo = try await live.signIn("Bo", through: next)
                    #expect(try helper.mounts().count == 1 && helper.groups().count == 1, "\(point)")
                    try await next.signOut(bo)
                    try await live.settle()
                    #expect(try helper.mounts() == [] && helper.groups() == [], "\(point)")
                }
                try await live.findsNothing(of: "Amara")
            }
        }

        @Test func `with the helper, a sign-out needs no agent`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withHelper { helper in
                try await live.awaitAgent()
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                try await live.kill(.agent)
                #expect(try await app.signOut(amara))
                try await live.settle()
                #expect(try helper.mounts() == [] && helper.groups() == [])
                let item = try await live.newestReceipt(says: "browser")
                #expect(item?.grade == "enforced" && item?.observer == "broker" && item?.result == "done")
                try await live.start(.agent)
                try await live.awaitAgent()
                let bo = try await live.signIn("Bo", through: app)
                try await app.signOut(bo)
                try await live.settle()
            }
        }

        @Test func `an agent that stands still does not keep the former worker's browser alive`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withHelper { helper in
                try await live.awaitAgent()
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                let group = try #require(try helper.groups().first)
                let process = try #require(
                    try textOfFile(group + "/cgroup.procs").split(separator: "\n").first.flatMap { Int32($0) })
                let browser = Descriptor(owning: clinux_pidfd_open(process))
                try live.send(SIGSTOP, to: .agent)
                async let signOut = app.signOut(amara)
                try await live.log(of: .broker, says: "the agent has not examined the browser in time")
                #expect(try await blocking { browser.isReadable(within: 30_000) })
                try live.send(SIGCONT, to: .agent)
                #expect(try await signOut)
                try await live.settle()
                #expect(try helper.mounts() == [])
                #expect(try await live.shownReceipt().opened == ["unknown"])
            }
        }

        @Test func `a broker that did not confine the browser itself waits for the agent`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withHelper { helper in
                try await live.awaitAgent()
                try await live.signIn("Amara", through: try live.app(1))
                try await live.kill(.agent)
                try await live.kill(.broker)
                try await live.start(.broker)
                // A browser of the earlier broker may run outside the control group. Each examination sends the helper
                // a request, which is handled after all earlier requests of the broker.
                for _ in 0..<2 { #expect(try await live.finding("helper_serves") != nil) }
                let status = try await live.status()
                #expect(status.session == "signingOut")
                #expect(status.problems.contains { $0.contains("Start baton-agent") })
                try await live.start(.agent)
                try await live.awaitAgent()
                try await live.settle()
                #expect(try helper.mounts() == [] && helper.groups() == [])
            }
        }

        @Test func `without its helper the device opens no browser and says why, and a sign-out waits`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withHelper { helper in
                try await live.awaitAgent()
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                helper.program.kill()
                _ = try await helper.program.waitForExit()
                async let signOut = app.signOut(amara)
                try await live.log(of: .broker, says: "the helper does not answer")
                #expect(try await live.status().problems.first?.contains("baton-helper does not answer") == true)
                let finding = try #require(try await live.finding("helper_unavailable"))
                #expect(finding.remedy?.contains("Start it") == true)
                let second = try await live.startHelper()
                #expect(try await signOut)
                try await live.settle()
                #expect(try second.mounts() == [] && second.groups() == [])

                second.program.kill()
                _ = try await second.program.waitForExit()
                try live.seat("Bo")
                await #expect(throws: (any Error).self) { try await app.signIn() }
                _ = try await live.startHelper()
                try await live.settle()
                try await live.signIn("Bo", through: app)
                try await live.settle()
            }
        }
    }
}
