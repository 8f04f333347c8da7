// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Processes
import TestSupport
import Testing
import UnixSocket

/// The real `baton-helper`, as root, for the session user `nobody`.
struct RunningHelper {
    typealias Channel = FramedJSON<HelperReply, HelperRequest>

    static let user: UInt32 = 65_534

    let program: RunningProgram
    let socket: String
    let storage: String
    /// The helper's own control group, so that each test has a tree of its own.
    let group: String
    let scratch: Scratch
    /// The connection that the broker holds.
    private let channel: Channel

    /// Starts it; what it mounted and grouped is gone at the end of the test.
    static func start(in scratch: Scratch) async throws -> RunningHelper {
        try #require(geteuid() == 0, "mounts and control groups need root")
        try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: scratch.path)
        let (socket, storage) = (scratch.path("helper.sock"), scratch.path("sessions"))
        let group = try groupFolder() + "/" + scratch.path.split(separator: "/").joined(separator: "-")
        let program = try await RunningProgram.start(
            "/bin/sh",
            [
                "-c", #"mkdir -p "$0" && echo $$ > "$0/cgroup.procs" && exec "$@""#, group,
                // What the unit leaves it of root's rights.
                "/usr/bin/setpriv", "--bounding-set=-all,+sys_admin,+dac_read_search", "--inh-caps=-all",
                "--no-new-privs", "--",
                RunningProgram.built("baton-helper"), "--broker", "root", "--user", "nobody",
                "--storage", storage, "--storage-size", "16", "--socket", socket,
            ],
            log: "helper.log", in: scratch)
        let helper = RunningHelper(
            program: program, socket: socket, storage: storage, group: group, scratch: scratch,
            channel: try Channel.connect(to: socket, limits: Wire.helperLimits))
        scratch.atEnd {
            await #expect(throws: Never.self) {
                try helper.clear()
                program.kill()
                try await program.waitForExit()
            }
            // The second helper of a test has the same group; the last one leaves it empty.
            _ = unsafe rmdir(group)
        }
        return helper
    }

    /// The control group of the tests.
    private static func groupFolder() throws -> String {
        let line = try #require(
            try textOfFile("/proc/self/mountinfo").split(separator: "\n").first { $0.contains(" - cgroup2 ") })
        let own = try #require(
            try textOfFile("/proc/self/cgroup").split(separator: "\n").first { $0.hasPrefix("0::/") })
        let path = own.dropFirst(3)
        return String(line.split(separator: " ")[4]) + (path == "/" ? "" : String(path))
    }

    func connect() throws -> Channel { try Channel.connect(to: socket, limits: Wire.helperLimits) }

    func ask(_ request: HelperRequest, _ descriptors: [Descriptor] = []) throws -> HelperReply {
        try channel.send(request, descriptors: descriptors)
        return try channel.receive().message
    }

    /// Why the request is refused; nil if it is carried out.
    func refusal(_ request: HelperRequest, _ descriptors: [Descriptor] = []) throws -> HelperRefusal.Code? {
        guard case .refused(let refusal) = try ask(request, descriptors) else { return nil }
        return refusal.code
    }

    /// A program that runs as the session user.
    func userProgram(_ script: String, as user: UInt32 = user) throws -> ChildProcess {
        let child = try ChildProcess.spawn(
            executable: "/usr/bin/setpriv",
            arguments: ["--reuid", "\(user)", "--clear-groups", "/bin/sh", "-c", script],
            environment: ["PATH": "/usr/bin:/bin"], output: .discarded)
        scratch.atEnd {
            child.kill()
            _ = try? await blocking { try child.waitForExit() }
        }
        return child
    }

    /// Nil if a test has ended this helper, and started another that clears.
    private func replyIfServing(_ request: HelperRequest) throws -> HelperReply? {
        do { return try ask(request) } catch let error as SocketError where error.errno == EPIPE { return nil }
    }

    private func clear() throws {
        guard case .sessions(let storage, let groups)? = try replyIfServing(.list) else { return }
        for epoch in groups { _ = try ask(.kill(epoch: epoch)) }
        for epoch in storage { _ = try ask(.removeStorage(epoch: epoch)) }
        #expect(try ask(.list) == .sessions(storage: [], groups: []))
    }
}
