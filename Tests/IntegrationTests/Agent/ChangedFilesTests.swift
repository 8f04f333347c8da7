// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Files
import Foundation
import TestSupport
import Testing

/// The real agent checks whether the files that its windows read are still as it wrote them. A script acts as the
/// browser.
@Suite(.timeLimit(.minutes(10))) struct ChangedFilesTests {
    /// A file that is changed or added by somebody who may write to the agent's folders.
    struct Case: CustomTestStringConvertible {
        let kind: String
        let files: BrowserFiles
        /// The file's path below the agent's folder of profiles; `*` stands for the folder of the worker's window.
        let path: String

        init(_ kind: String, _ files: BrowserFiles, _ path: String) {
            (self.kind, self.files, self.path) = (kind, files, path)
        }

        var testDescription: String { "\(kind) \(path)" }
    }

    static let cases = [
        Case("chromium", .package, "extension/chromium.crx"),
        Case("chromium", .package, "extension/chromium-updates.xml"),
        Case("chromium", .package, "extension/baton-browser-host"), Case("chromium", .package, "extension/another"),
        Case("chromium", .policies, "*/chromium/policies/managed/baton.json"),
        // Chromium applies every file of this folder.
        Case("chromium", .policies, "*/chromium/policies/managed/another.json"),
        Case("chromium", .policies, "*/chromium/native-messaging-hosts/org.baton.browser.json"),
        Case("firefox", .package, "extension/firefox.xpi"), Case("firefox", .package, "extension/firefox-host.json"),
        Case("firefox", .policies, "*/distribution/policies.json"),
        Case("firefox", .policies, "*/mozilla/native-messaging-hosts/org.baton.browser.json"),
        Case("firefox", .policies, "*/firefox/baton.cfg"), Case("firefox", .policies, "*/bus.conf"),
    ]

    private let page = AgentOrder.pages + 1

    /// Starts an agent with a window for the worker.
    private func withWindow(
        _ kind: String, _ body: (AgentFixture, Broker, RunningProgram) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let live = try AgentFixture(
                scratch, command: ["/bin/sh", "-c", "exec sleep 600", "{profile}", "{url}"], kind: kind)
            let agent = try await live.startAgent()
            let broker = try await live.accept()
            try broker.send(.browse(id: page, epoch: live.epoch, address: nil))
            #expect(try await broker.next() == .opened(id: page))
            try await body(live, broker, agent)
        }
    }

    private func path(_ path: String, _ live: AgentFixture) -> String {
        live.scratch.path(
            "profiles/" + path.replacing("*", with: "\(live.epoch)/\(BrowserProfile.workersWindow)"))
    }

    private func seen(_ broker: Broker) async throws -> ComparedFiles {
        try #require(try await broker.examination().files)
    }

    @Test(arguments: cases) func `a file that was changed while a browser ran is reported before the browser ends`(
        _ changed: Case
    ) async throws {
        try await withWindow(changed.kind) { live, broker, agent in
            try broker.send(.examine(epoch: live.epoch))
            #expect(try await seen(broker) == ComparedFiles())
            try AtomicFile(path: path(changed.path, live)).replace(with: Array("another".utf8))
            try broker.send(.close(epoch: live.epoch))
            let found = try await seen(broker)
            #expect(found.changed == [changed.files] && found.unread == [])
            #expect(try await broker.next() == .closed(epoch: live.epoch))
            let log = try agent.log()
            #expect(log.contains("a file that browsers read was changed"))
            // The log does not name the file, because somebody else may have chosen the name.
            #expect(!log.contains("another"))
            // The next epoch gets new policies, but the extension is packed again only when the agent restarts.
            guard changed.files == .policies else { return }
            try broker.send(.close(epoch: .random()))
            #expect(try await seen(broker) == ComparedFiles())
        }
    }

    @Test func `no page opens once a window's policies were changed, and putting them back does not help`()
        async throws
    {
        try await withWindow("chromium") { live, broker, _ in
            let policies = AtomicFile(path: path("*/chromium/policies/managed/baton.json", live))
            let former = try #require(try policies.read())
            try policies.replace(with: Array("{}".utf8))
            for content in [former, former] {
                try broker.send(.browse(id: page + 1, epoch: live.epoch, address: nil))
                guard case .failed(page + 1, "policies_changed", _) = try await broker.next() else {
                    Issue.record("the agent does not say that the policies were changed")
                    return
                }
                try policies.replace(with: content)
            }
            try broker.send(.close(epoch: live.epoch))
            #expect(try await seen(broker).changed == [.policies])
        }
    }

    @Test func `the policies of a sign-in window that the person closed were compared before they were removed`()
        async throws
    {
        try await Scratch.with { scratch in
            let live = try AgentFixture(
                scratch,
                command: [
                    "/bin/sh", "-c", "while [ ! -e \(scratch.path("end")) ]; do sleep 0.05; done", "{profile}", "{url}",
                ],
                kind: "chromium")
            _ = try await live.startAgent()
            let broker = try await live.accept()
            try broker.send(.open(id: 7, epoch: live.epoch, url: "http://127.0.0.1:9/a"))
            #expect(try await broker.next() == .opened(id: 7))
            let window = try #require(
                try Directory(path: live.profile).names().first { $0.hasPrefix(BrowserProfile.signInWindow) })
            let policies = "\(live.profile)/\(window)/chromium/policies/managed/baton.json"
            try AtomicFile(path: policies).replace(with: Array("{}".utf8))
            try scratch.write("", to: "end")
            #expect(try await broker.next() == .browserExited(epoch: live.epoch))
            #expect(try !isThere(policies))
            try broker.send(.close(epoch: live.epoch))
            #expect(try await seen(broker).changed == [.policies])
        }
    }

    @Test func `an agent that could not pack its extension says that it has not compared it`() async throws {
        try await Scratch.with { scratch in
            let live = try AgentFixture(scratch, command: ["/bin/sleep", "{profile}", "{url}"], kind: "chromium")
            try Directory(path: scratch.path("profiles")).makePrivate()
            try scratch.write("", to: "profiles/extension")
            let agent = try await live.startAgent()
            let broker = try await live.accept()
            try broker.send(.close(epoch: live.epoch))
            let found = try await seen(broker)
            #expect(found.changed == [] && found.unread == [.package])
            #expect(try agent.log().contains("the browser's extension cannot be packed"))
        }
    }

    @Test func `an agent that configures no browser reports no files`() async throws {
        try await Scratch.with { scratch in
            let live = try AgentFixture(scratch, command: ["/bin/sh", "-c", "exec sleep 600", "{profile}", "{url}"])
            _ = try await live.startAgent()
            let broker = try await live.accept()
            try broker.send(.close(epoch: live.epoch))
            #expect(try await broker.examination().files == nil)
        }
    }
}
