// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import Files
import Foundation
import Glibc
import Processes
import Receipts
import SessionIPC
import TestSupport
import Testing

/// A receipt's statements about a worker's browser, depending on who observed its end.
@Suite(.timeLimit(.minutes(10))) struct BrowserObservationTests {
    @Test func `a browser that the broker saw open and sees gone is marked as enforced`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: geteuid())
                let browser = try await fixture.signIn(through: agent, markedIn: scratch)
                fixture.order(.signOut(fromBrowser: false))
                try browser.end()
                try browser.removeProfile()
                agent.say(.closed(epoch: browser.epoch))
                #expect(try await fixture.status().session == "ready")
            }
            #expect(
                try claims(scratch) == [
                    "browser": "enforced broker", "browser_extension": "reported agent",
                    "browser_policies": "reported agent", "files": "enforced broker",
                    "session_key": "enforced broker", "session_process": "enforced broker",
                ])
        }
    }

    /// The leftovers of an agent that does not clear its browser.
    enum Left: CaseIterable { case process, profile, temporary, unrecordedTemporary }

    @Test(arguments: Left.allCases)
    func `an agent's report that the browser is closed is rejected while a part remains`(left: Left) async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: geteuid())
                let browser = try await fixture.signIn(through: agent, markedIn: scratch)
                fixture.order(.signOut(fromBrowser: false))
                #expect(try await agent.order() == .close(epoch: browser.epoch))
                if left != .process { try browser.end() }
                if left != .profile { try browser.removeFolder() }
                switch left {
                case .temporary: break
                case .unrecordedTemporary: try browser.removeRecord()
                default: try browser.removeTemporary()
                }
                agent.say(.closed(epoch: browser.epoch))
                let status = try await fixture.status()
                #expect(status.session == "signingOut" && status.pending == ["browser"])
                #expect(status.problems.first?.contains("still exists") == true)

                // The agent is asked again each second. The sign-out continues once the agent's report is true.
                try browser.end()
                try browser.removeProfile()
                fixture.clock.pass(.seconds(1))
                #expect(try await agent.order() == .close(epoch: browser.epoch))
                agent.say(.closed(epoch: browser.epoch))
                #expect(try await fixture.status().session == "ready")
            }
            #expect(try claims(scratch)["browser"] == "enforced broker")
        }
    }

    @Test func `a folder that another user made in place of the temporary folder contradicts no report`() async throws {
        try #require(getuid() == 0, "a folder of another user needs the right to make one")
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: geteuid())
                let browser = try await fixture.signIn(through: agent, markedIn: scratch)
                fixture.order(.signOut(fromBrowser: false))
                try browser.end()
                try browser.removeProfile()
                try browser.takeTemporary(as: 65_534)
                agent.say(.closed(epoch: browser.epoch))
                #expect(try await fixture.status().session == "ready")
            }
            #expect(try claims(scratch)["browser"] == "enforced broker")
        }
    }

    @Test(arguments: [true, false])
    func `a browser known only from the agent is marked as reported by the agent`(saysOpened: Bool) async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                // A browser without the mark: only the agent can find it.
                let agent = try fixture.agent(of: geteuid())
                try await fixture.playSession(through: agent) {
                    guard saysOpened else { return }
                    agent.say(.opened(id: try await fixture.epoch().counter))
                }
            }
            #expect(try claims(scratch)["browser"] == "reported agent")
            #expect(try claims(scratch)["files"] == "enforced broker")
        }
    }

    @Test func `the broker does not claim to have observed another user's browser`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: geteuid() + 1)
                let browser = try await fixture.signIn(through: agent, markedIn: scratch)
                fixture.order(.signOut(fromBrowser: false))
                try browser.end()
                try browser.removeProfile()
                agent.say(.closed(epoch: browser.epoch))
                #expect(try await fixture.status().session == "ready")
            }
            #expect(try claims(scratch)["browser"] == "reported agent")
        }
    }

    @Test func `the end of an item that follows from the broker's death is marked as implied, without an observer`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
            }
            try await SupervisorFixture.with(scratch) { fixture in
                try await fixture.finish(through: fixture.agent(of: 1000))
            }
            #expect(
                try claims(scratch) == [
                    "browser": "reported agent", "browser_extension": "reported agent",
                    "browser_policies": "reported agent", "files": "enforced broker",
                    "session_key": "implied none", "session_process": "implied none",
                ])
        }
    }

    /// The grade and observer of each item of the newest receipt.
    private func claims(_ scratch: Scratch) throws -> [String: String] {
        let store = ReceiptStore(directory: Directory(path: scratch.path("device/receipts")))
        let receipt = try #require(try ReceiptFile(bytes: store.export()).receipts.last?.receipt)
        return Dictionary(
            uniqueKeysWithValues: receipt.items.map { ($0.name, "\($0.grade.rawValue) \($0.observer.rawValue)") })
    }
}

/// A browser like the real agent's: a process with the mark of the epoch's profile, and the browser's folders.
struct MarkedBrowser {
    let epoch: Epoch.ID
    private let process: ChildProcess
    private let profile: BrowserFolders

    init(_ epoch: Epoch.ID, in scratch: Scratch) throws {
        self.epoch = epoch
        let name = (0..<16).map { _ in String(UInt8.random(in: 16...255), radix: 16) }.joined()
        profile = BrowserFolders(folder: scratch.path("profiles/\(epoch)"), temporary: "/tmp/baton-" + name)
        for folder in [profile.folder, profile.temporary] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: profile.record, withDestinationPath: profile.temporary)
        process = try ChildProcess.spawn(
            executable: "/bin/sleep", arguments: ["600"], environment: ["BATON_BROWSER_PROFILE": profile.folder],
            output: .discarded)
        let (process, temporary) = (process, profile.temporary)
        scratch.atEnd {
            process.kill()
            _ = try? await blocking { try process.waitForExit() }
            try? FileManager.default.removeItem(atPath: temporary)
        }
    }

    private struct BrowserFolders {
        let folder: String
        let temporary: String
        /// The symbolic link that records the temporary folder.
        var record: String { folder + ".temporary" }
    }

    func end() throws {
        process.kill()
        _ = try process.waitForExit()
    }

    func removeFolder() throws { try remove(profile.folder) }
    func removeTemporary() throws {
        try remove(profile.temporary)
        try removeRecord()
    }
    /// Removes the record of the temporary folder; the folder itself stays.
    func removeRecord() throws {
        // `fileExists` returns false for a link whose target is missing.
        guard unsafe unlink(profile.record) == 0 || errno == ENOENT else { throw TestProblem("unlink: error \(errno)") }
    }
    func takeTemporary(as user: UInt32) throws {
        try FileManager.default.createDirectory(atPath: profile.temporary, withIntermediateDirectories: false)
        guard unsafe chown(profile.temporary, user, user) == 0 else { throw TestProblem("chown: error \(errno)") }
    }
    func removeProfile() throws {
        try removeFolder()
        try removeTemporary()
    }

    private func remove(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.removeItem(atPath: path)
    }
}

extension SupervisorFixture {
    /// Signs a worker in through a browser with the mark that the real agent sets.
    fileprivate func signIn(through agent: FakeAgent, markedIn scratch: Scratch) async throws -> MarkedBrowser {
        sessionProcessSends(.signInRequested(requestID: 1))
        sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"))
        guard case .open(let id, let epoch, _, _) = try await agent.order() else { throw TestProblem("no browser") }
        let browser = try MarkedBrowser(epoch, in: scratch)
        agent.say(.opened(id: id))
        sessionProcessSends(.signInSucceeded)
        #expect(try await status().session == "signedIn")
        return browser
    }
}
