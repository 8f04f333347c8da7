// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Files
import Foundation
import Glibc
import Processes
import TestSupport
import Testing
import UnixSocket

/// A real baton-agent in a scratch folder; the test holds the broker's end of its socket.
struct AgentFixture {
    let scratch: Scratch
    let listener: Listener
    /// The broker's socket, which a confined browser can reach. Nobody answers there.
    private let apps: Listener
    let epoch: Epoch.ID

    var profile: String { scratch.path("profiles/\(epoch)") }
    /// The path of the browser's temporary files, as the agent recorded it.
    var temporary: String {
        get throws { try FileManager.default.destinationOfSymbolicLink(atPath: profile + ".temporary") }
    }

    /// An environment whose agent starts `command` as its browser.
    ///
    /// - Parameter kind: the browser that the agent configures; nil for none.
    init(_ scratch: Scratch, command: [String], kind: String? = nil) throws {
        self.scratch = scratch
        epoch = .random()
        listener = try Listener(path: scratch.path("agent.sock"), mode: 0o600)
        apps = try Listener(path: scratch.path("broker.sock"), mode: 0o600)
        var browser: [String: Any] = ["command": command, "profiles": scratch.path("profiles")]
        if let kind {
            // A confined browser sees the test's folder, but cannot write to it.
            browser["kind"] = kind
            browser["signIn"] = command
            browser["readable"] = try [scratch.path] + RunningProgram.libraries()
            browser["host"] = try RunningProgram.built("baton-browser-host")
        }
        let configuration: [String: Any] = [
            "socket": scratch.path("agent.sock"), "logLevel": "trace", "browser": browser,
        ]
        try JSONSerialization.data(withJSONObject: configuration).write(to: URL(filePath: scratch.path("agent.json")))
    }

    /// Makes a temporary folder and records it, like one that an earlier order has left behind. The folder is removed
    /// when the test ends.
    func recordTemporary() throws -> String {
        let name = (0..<16).map { _ in String(UInt8.random(in: 16...255), radix: 16) }.joined()
        let folder = "/tmp/baton-" + name
        scratch.atEnd { _ = try? Directory(path: folder).removeTree() }
        try Directory(path: folder).make()
        try Directory(path: scratch.path("profiles")).make()
        try FileManager.default.createSymbolicLink(
            atPath: profile + ".temporary", withDestinationPath: folder)
        return folder
    }

    /// Starts the agent and returns when its hello has arrived.
    ///
    /// - Parameters:
    ///   - file: the program; nil for the one that was built.
    ///   - environment: variables that are added to the tests' own environment.
    ///   - entrance: a command that replaces itself with the agent (exec(3)).
    ///   - without: capabilities to drop if the tests run as root. An agent in a session never has them.
    func startAgent(
        file: String? = nil, environment: [String: String] = [:], through entrance: [String] = [],
        without: [String] = []
    ) async throws -> RunningProgram {
        var words = [try file ?? RunningProgram.built("baton-agent"), "--config", scratch.path("agent.json")]
        if getuid() == 0, !without.isEmpty {
            words = ["/usr/bin/setpriv", "--bounding-set", without.map { "-" + $0 }.joined(separator: ",")] + words
        }
        words = entrance + words
        return try await RunningProgram.start(
            words[0], Array(words.dropFirst()), environment: environment, log: "agent.log", in: scratch)
    }

    /// Accepts the agent's connection and reads its hello.
    func accept() async throws -> Broker {
        let listener = self.listener
        let broker = try await blocking {
            Broker(channel: FramedJSON(try listener.accept(), limits: Wire.agentLimits))
        }
        #expect(try await broker.next() == .hello(version: AgentMessage.version))
        return broker
    }
}

/// The broker's end of one connection.
struct Broker {
    let channel: FramedJSON<AgentMessage, AgentOrder>

    func send(_ order: AgentOrder) throws { try channel.send(order) }

    /// The agent's next message, leaving out reports about examinations of the browsers.
    func next() async throws -> AgentMessage {
        while true {
            let message = try await receive()
            guard case .examined = message else { return message }
        }
    }

    /// The agent's next message, leaving out reports that windows cannot open. The agent sends such a report when the
    /// broker asks for one, and when the agent notices an obstacle.
    func nextAfterObstacles() async throws -> AgentMessage {
        while true {
            let message = try await next()
            guard case .cannotOpen = message else { return message }
        }
    }

    /// The agent's report of an examination, which must be its next message.
    func examination() async throws -> BrowserExamination {
        let message = try await receive()
        guard case .examined(_, let examination) = message else { throw TestProblem("the agent says \(message)") }
        return examination
    }

    private func receive() async throws -> AgentMessage {
        let channel = self.channel
        return try await blocking { try channel.receive().message }
    }
}

extension ProcessTable {
    /// Returns the processes in `others` that are still running.
    func stillRunning(_ others: [Entry]) -> [Int32] {
        let running = Set(entries.filter { !$0.isZombie }.map { "\($0.pid) \($0.startTime)" })
        return others.filter { running.contains("\($0.pid) \($0.startTime)") }.map(\.pid)
    }
}

/// Whether something exists at this path; throws if that cannot be determined.
func isThere(_ path: String) throws -> Bool {
    do {
        // This reads the attributes of a link itself, not of what it leads to.
        _ = try FileManager.default.attributesOfItem(atPath: path)
        return true
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
        return false
    }
}
