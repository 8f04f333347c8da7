// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing

/// Processes of other users on the device's machine. While a worker signs in, works and signs out, they try everything
/// that one process can do to another.
///
/// If root runs the tests, the device's broker and graphical session have users of their own, and a process of the
/// session's user attacks the broker, too. Otherwise all programs of the device run as the tests' user.
@Suite(.serialized, .live(users: DeviceUsers.separate), .timeLimit(.minutes(5))) struct HostileNeighbourTests {
    private static let stranger: UInt32 = 64_003

    /// Runs both neighbours, and expects that none of their attempts succeeds.
    private func attack(_ live: LiveEnvironment, addresses: [String] = [], _ stage: Comment) async throws {
        // Root of the neighbour's user namespace is the tests' own user.
        let users = live.users ?? DeviceUsers(broker: 0, session: 0)
        let broker = [try live.pid(of: .broker), try live.sessionProcess().pid]
        let asked = addresses.compactMap { URL(string: $0)?.port }
        let ports = try live.users.map { try Self.ports(of: $0.broker) } ?? asked
        #expect(ports == asked, stage)
        let names = try Self.records(live).map {
            try FileManager.default.destinationOfSymbolicLink(atPath: live.path("run/profiles/" + $0))
        }
        let stranger = try await Neighbour(
            user: Self.stranger, pids: broker + [try live.pid(of: .agent)], owners: [users.broker, users.session],
            needles: ports.map { "127\\.0\\.0\\.1:\($0)/" } + [try live.person("Amara").password],
            ports: ports, addresses: addresses,
            sockets: ["broker", "agent", "control", "status"].map { live.path("run/\($0).sock") },
            folders: ["device", "run/profiles", "logs", "configuration", "server"].map(live.path),
            names: names
        ).act(beside: live)
        #expect(stranger.got == [], stage)
        triedAll(stranger, stage)
        #expect(stranger.tried["argument list", default: 0] > 5, stage)
        for attempt in ["signal", "ptrace", "memory", "descriptors"] {
            #expect(stranger.tried[attempt] == 3, "\(stage): \(attempt)")
        }
        #expect(stranger.tried["socket"] == 4, stage)
        #expect(stranger.tried["/proc", default: 0] > 3, stage)
        #expect(stranger.tried["folder"] == 5, stage)
        #expect(stranger.tried["loopback port", default: 0] == ports.count, stage)
        #expect(stranger.tried["loopback address", default: 0] == addresses.count, stage)
        #expect(stranger.tried["name", default: 0] == names.count, stage)
        #expect(stranger.tried["temporary", default: 0] >= names.count, stage)
        // See `noteWhatIsNotTried`.
        guard live.users != nil else { return }
        let ofSession = try await Neighbour(
            user: users.session, pids: broker, owners: [users.broker], sockets: [live.path("run/control.sock")],
            folders: [live.path("device")]
        ).act(beside: live)
        #expect(ofSession.got == [], stage)
        for attempt in ["signal", "ptrace", "memory", "descriptors"] {
            #expect(ofSession.tried[attempt] == 2, "\(stage): \(attempt)")
        }
        #expect(ofSession.tried["socket"] == 1, stage)
        #expect(ofSession.tried["folder"] == 1, stage)
        triedAll(ofSession, stage)
    }

    @Test func `a process of the same user succeeds in what a neighbour attempts, as a control`()
        async throws
    {
        let live = try await LiveEnvironment.ready()
        let victim = try await live.runAside(program: "/bin/sleep", ["86397"])
        defer { victim.kill() }
        try FileManager.default.createDirectory(atPath: live.path("open"), withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(filePath: live.path("open/file")))
        // Root of the neighbour's user namespace is the tests' own user.
        let own = try await Neighbour(
            user: 0, pids: [victim.pid], needles: ["sleep.86397"], sockets: [live.path("run/control.sock")],
            folders: [live.path("open")]
        ).act(beside: live)
        let got = Set(own.got.compactMap(\.first))
        #expect(got.isSuperset(of: ["argument list", "/proc", "signal", "socket", "file", "folder"]), "\(own.got)")
    }

    /// Expects at least one attempt of each kind.
    private func triedAll(_ outcome: Neighbour.Outcome, _ stage: Comment) {
        let kinds = [
            "argument list", "/proc", "signal", "ptrace", "memory", "descriptors", "scheduling", "socket", "folder",
            "system V", "clock",
        ]
        #expect(kinds.filter { outcome.tried[$0, default: 0] == 0 } == [], stage)
    }

    /// Records a known issue if the tests' user cannot start programs as other users, so that some attacks are not
    /// tried.
    private func noteWhatIsNotTried(_ live: LiveEnvironment) {
        guard live.users == nil else { return }
        withKnownIssue("The broker and the session have one user here: only root can give them two.") {
            Issue.record("no program of the session's user attacked the broker")
        }
    }

    @Test func `no other process gets hold of a worker's sign-in, session or sign-out`() async throws {
        let live = try await LiveEnvironment.ready()
        noteWhatIsNotTried(live)
        try await attack(live, "nobody is signed in")
        guard unsafe mkfifo(live.path("typing"), 0o600) == 0 else { throw TestProblem("mkfifo: error \(errno)") }
        try live.users?.give(live.path("typing"), toUserOf: .agent)
        try live.seat("Amara", waitingFor: "typing")
        async let signIn = live.app(1).signIn()
        try await FolderWatch(live.path("logs")).until("the person waits") {
            try textOfFile(live.path("logs/person.log")).contains("person: waiting")
        }
        // The address alone is no use to another user: the kernel reports to the broker which user owns the connection.
        try await attack(live, addresses: try Self.startAddresses(live), "the worker types her password")
        try "".write(toFile: live.path("typing"), atomically: false, encoding: .utf8)
        let account = try await signIn.account
        #expect(account.username == (try live.person("Amara").userName))
        try await attack(live, "she is signed in")
        // A stranger takes the name of her browser's temporary folder as soon as it is free.
        let status = try await live.status()
        let temporary = try live.temporaryFolder(try #require(status.epoch).id)
        let watching = try await Neighbour.watching([temporary], as: Self.stranger, beside: live) {
            try await live.app(1).signOut(account)
        }
        #expect(watching.tried["taken"] == 1)
        try await attack(live, "she is signed out")
        #expect(try live.isClean)
    }

    /// The names of the agent's records of temporary folders.
    private static func records(_ live: LiveEnvironment) throws -> [String] {
        try live.names(in: "run/profiles").filter { $0.hasSuffix(".temporary") }
    }

    /// The loopback addresses that the session's browser was given.
    private static func startAddresses(_ live: LiveEnvironment) throws -> [String] {
        let profiles = live.path("run/profiles")
        return try FileManager.default.subpathsOfDirectory(atPath: profiles)
            .filter { $0.hasSuffix(".html") && $0.contains("/start-") }
            .map { try textOfFile(profiles + "/" + $0) }
            .map { $0.components(separatedBy: "url=")[1].components(separatedBy: "\"")[0] }
    }

    /// The TCP ports on which a user listens, as every process of the machine sees them.
    private static func ports(of user: UInt32) throws -> [Int] {
        try textOfFile("/proc/net/tcp").split(separator: "\n").dropFirst().compactMap { row in
            let cells = row.split(separator: " ")
            guard cells[3] == "0A", UInt32(cells[7]) == user else { return nil }
            return Int(cells[1].split(separator: ":")[1], radix: 16)
        }
    }
}
