// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import BrokerProtocol
internal import FoundationEssentials
internal import Glibc
package import Processes
package import UnixSocket

/// The real `baton-helper`, started as root for the session user `nobody`, with only the capabilities that its systemd
/// unit grants.
package struct RunningHelper: Sendable {
    package typealias Channel = FramedJSON<HelperReply, HelperRequest>

    /// The session user.
    package static let user: UInt32 = 65_534

    package let program: RunningProgram
    package let socket: String
    package let storage: String
    /// The helper's own control group, so that each test has a tree of its own.
    package let group: String
    private let scratch: Scratch
    /// The connection of the tests; nil if only another user may send requests.
    private let channel: Channel?

    /// Starts the helper. At the end of the test, its mounts and control groups are removed.
    ///
    /// - Parameters:
    ///   - broker: the name of the user who may send requests.
    ///   - user: the name of the session user.
    ///   - megabytes: the size of a session's storage.
    ///   - file: the program; nil for the one that was built.
    ///   - mounts: the mount namespace of the helper; nil for that of the tests.
    /// - Throws: ``TestProblem`` unless the tests run as root.
    package static func start(
        broker: String = "root", user: String = "nobody", others: [String] = [], megabytes: Int = 16,
        file: String? = nil,
        through mounts: MountNamespace? = nil, in scratch: Scratch
    ) async throws -> RunningHelper {
        guard geteuid() == 0 else { throw TestProblem("mounts and control groups need root") }
        try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: scratch.path)
        let (socket, storage) = (scratch.path("helper.sock"), scratch.path("s"))
        let group = try groupFolder() + "/" + scratch.path.split(separator: "/").joined(separator: "-")
        guard let owner = unsafe getpwnam(broker)?.pointee.pw_uid else { throw TestProblem("no user \(broker)") }
        // The socket unit sets the owner, because the helper itself may not change it. The test does the same.
        let listener = try Listener(path: socket, mode: 0o600)
        guard unsafe chown(socket, owner, gid_t.max) == 0 else { throw TestProblem("chown: error \(errno)") }
        let program = try await RunningProgram.start(
            "/bin/sh",
            [
                "-c", #"mkdir -p "$0" && echo $$ > "$0/cgroup.procs" && exec "$@""#, group,
            ] + (mounts?.entrance ?? []) + [
                // The capabilities that the unit grants.
                "/usr/bin/setpriv", "--bounding-set=-all,+sys_admin,+dac_read_search", "--inh-caps=-all",
                "--no-new-privs", "--",
                file ?? RunningProgram.built("baton-helper"), "--broker", broker, "--user", user,
                "--storage", storage, "--storage-size", "\(megabytes)",
            ] + others.flatMap { ["--user", $0] },
            log: "helper.log", manager: try ServiceManager(in: scratch, sockets: [("helper", listener.descriptor)]),
            in: scratch)
        let helper = RunningHelper(
            program: program, socket: socket, storage: storage, group: group, scratch: scratch,
            channel: owner == geteuid() ? try connect(to: socket) : nil)
        scratch.atEnd {
            program.kill()
            _ = try? await program.waitForExit()
            try? helper.clear()
            // A second helper of the test uses the same group. The call succeeds for the last helper, when the group is
            // empty.
            _ = unsafe rmdir(group)
        }
        return helper
    }

    /// The control group of the tests.
    private static func groupFolder() throws -> String {
        let mount = try textOfFile("/proc/self/mountinfo").split(separator: "\n").first { $0.contains(" - cgroup2 ") }
        let own = try textOfFile("/proc/self/cgroup").split(separator: "\n").first { $0.hasPrefix("0::/") }
        guard let mount, let own else { throw TestProblem("no control groups of version 2") }
        let path = own.dropFirst(3)
        return String(mount.split(separator: " ")[4]) + (path == "/" ? "" : String(path))
    }

    /// The paths of the sessions' storage that is mounted.
    package func mounts() throws -> [String] {
        try textOfFile("/proc/self/mountinfo").split(separator: "\n").map { String($0.split(separator: " ")[4]) }
            .filter { $0.hasPrefix(storage + "/") }
    }

    /// The paths of the sessions' control groups.
    package func groups() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: group).filter { $0.hasPrefix("session-") }
            .map { group + "/" + $0 }
    }

    private func clear() throws {
        for path in try mounts() { _ = unsafe umount(path) }
        for path in try groups() {
            try "1".write(toFile: path + "/cgroup.kill", atomically: false, encoding: .utf8)
            _ = unsafe rmdir(path)
        }
    }

    package func connect() throws -> Channel { try Self.connect(to: socket) }

    private static func connect(to socket: String) throws -> Channel {
        let channel = try Channel.connect(to: socket, limits: Wire.helperLimits)
        try channel.connection.descriptor.setReceiveTimeout(milliseconds: 120_000)
        return channel
    }

    /// Ends the connection of the tests.
    package func disconnect() { channel?.connection.shutDown() }

    package func ask(_ request: HelperRequest, _ descriptors: [Descriptor] = []) throws -> HelperReply {
        guard let channel else { throw TestProblem("the helper answers another user") }
        try channel.send(request, descriptors: descriptors)
        return try channel.receive().message
    }

    /// Sends a request and returns the reason why it is refused; nil if it is carried out.
    package func refusal(_ request: HelperRequest, _ descriptors: [Descriptor] = []) throws -> HelperRefusal.Code? {
        guard case .refused(let refusal) = try ask(request, descriptors) else { return nil }
        return refusal.code
    }

    /// Starts a shell script as the session user.
    package func userProgram(_ script: String, as user: UInt32 = user) throws -> ChildProcess {
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
}
