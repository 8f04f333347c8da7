// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Processes
internal import Synchronization
internal import UnixSocket

/// A PostgreSQL server with its own data, which listens on a Unix socket.
///
/// Only the server's user can reach the socket, because the folder belongs to this user. Over TCP, which any user of the
/// machine can reach, every role needs a password.
///
/// It runs as the tests' user. PostgreSQL refuses to run as root, so for root it runs as the user nobody. It ends with
/// the tests' process.
package final class PostgreSQLCluster: Sendable {
    /// The folder with the socket, the data and the logs. The server's user owns it.
    package let folder: String
    /// The small disk, if the test wanted one.
    package let disk: ClusterDisk?
    private let part: SmallPart?
    /// The port, which is part of the socket's name.
    package let port: UInt16
    private let options: [String]
    private let running = Mutex<Running?>(nil)

    private struct Running {
        let process: ChildProcess
        let notices: NoticeSocket
    }

    /// The part of a cluster's files that is on a disk of its own, with the size of the disk in megabytes. The other
    /// part is not on that disk.
    package enum SmallPart: Sendable {
        case data(megabytes: Int)
        /// The write-ahead log, in segments of 16 MB.
        case log(megabytes: Int)

        fileprivate var folder: (name: String, megabytes: Int) {
            switch self {
            case .data(let megabytes): ("data", megabytes)
            case .log(let megabytes): ("log", megabytes)
            }
        }
    }

    /// The name of the superuser, who needs no password, and of the database.
    package static let superuser = "baton"
    package static let database = "postgres"
    /// The name of a role that has to be created, and that needs a password.
    package static let guarded = "guarded"

    private static let programs = "/usr/lib/postgresql/15/bin/"
    private static let user: UInt32? = geteuid() == 0 ? 65534 : nil
    private static let asUser =
        user.map { ["/usr/bin/setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups", "--"] } ?? []
    private static let environment = ["LC_ALL": "C", "PATH": "/usr/bin:/bin"]

    /// The command through which PostgreSQL's programs are started.
    private var wrapper: [String] { (disk?.entrance ?? []) + Self.asUser }
    /// The folder with the data, as this process sees it.
    package var data: String {
        if case .data = part, let disk { disk.folder } else { folder + "/data" }
    }

    private init(options: [String], tcpPort: UInt16? = nil, part: SmallPart? = nil) throws {
        guard FileManager.default.isExecutableFile(atPath: Self.programs + "postgres") else {
            throw TestProblem("\(Self.programs)postgres is missing: run scripts/setup")
        }
        var template = Array((Self.place + "/baton-pg-XXXXXX").utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw TestProblem("mkdtemp: error \(errno)") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        port = tcpPort ?? 5432
        self.options = options + (tcpPort.map { ["listen_addresses=127.0.0.1", "port=\($0)"] } ?? [])
        self.part = part
        disk = try part.map { [folder] part in
            let path = folder + "/" + part.folder.name
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            return try ClusterDisk(over: path, megabytes: part.folder.megabytes, owner: Self.user)
        }
        try giveAway(folder)
    }

    /// The folder of the clusters: in memory, if there is room for the databases of all tests.
    private static var place: String {
        var memory = statvfs()
        let isKnown = unsafe statvfs("/dev/shm", &memory) == 0 && access("/dev/shm", W_OK) == 0
        return isKnown && memory.f_bavail * memory.f_frsize > 2 << 30 ? "/dev/shm" : "/tmp"
    }

    /// Gives a file of the cluster's folder to the server's user.
    package func giveAway(_ path: String) throws {
        guard let user = Self.user else { return }
        guard unsafe chown(path, user, user) == 0 else { throw TestProblem("\(path): error \(errno)") }
    }

    /// The cluster that all tests of this run share. Each test has a schema of its own.
    package static func shared() async throws -> PostgreSQLCluster { try await forRun.value }

    private static let forRun = Task {
        let cluster = try PostgreSQLCluster(options: [])
        _ = atexit { PostgreSQLCluster.ending.withLock { $0?.remove() } }
        ending.withLock { $0 = cluster }
        try await cluster.create()
        return cluster
    }

    private static let ending = Mutex<PostgreSQLCluster?>(nil)

    /// Starts a cluster for one test.
    ///
    /// - Parameters:
    ///   - options: further settings, each `name=value`.
    ///   - tcpPort: a port of 127.0.0.1 at which the server also listens.
    ///   - part: the part of the files that is on a small disk; nil for no such disk.
    package static func start(
        _ options: [String] = [], tcpPort: UInt16? = nil, onSmallDisk part: SmallPart? = nil, in scratch: Scratch
    ) async throws -> PostgreSQLCluster {
        let cluster = try await blocking { try PostgreSQLCluster(options: options, tcpPort: tcpPort, part: part) }
        scratch.atEnd { cluster.remove() }
        try await cluster.create()
        return cluster
    }

    private func create() async throws {
        try await run(
            "initdb",
            [
                "--pgdata=\(folder)/data", "--username=\(Self.superuser)", "--auth=trust", "--encoding=UTF8",
                "--locale=C", "--no-sync", "--no-instructions",
            ] + (part == nil ? [] : ["--waldir=\(folder)/log"]))
        let access = """
            local all \(Self.guarded) scram-sha-256
            local all all trust
            host all all 127.0.0.1/32 scram-sha-256

            """
        try FileManager.default.removeItem(atPath: data + "/pg_hba.conf")
        guard FileManager.default.createFile(atPath: data + "/pg_hba.conf", contents: Data(access.utf8)) else {
            throw TestProblem("pg_hba.conf cannot be written")
        }
        try giveAway(data + "/pg_hba.conf")
        try await start()
    }

    /// Runs a program of PostgreSQL as the server's user.
    ///
    /// - Throws: ``TestProblem`` with the end of its output if it fails.
    package func run(_ program: String, _ arguments: [String]) async throws {
        let log = try openLog(program)
        let words = wrapper + [Self.programs + program] + arguments
        let process = try ChildProcess.spawn(
            executable: words[0], arguments: Array(words.dropFirst()), environment: Self.environment,
            descriptors: [(log, as: STDOUT_FILENO), (log, as: STDERR_FILENO)])
        guard try await blocking({ try process.waitForExit() }).isSuccess else {
            throw TestProblem("\(program) failed:\n\(try textOfFile("\(folder)/\(program).log").suffix(2000))")
        }
    }

    /// Creates an empty database and returns its name. The next databases have other names.
    package func makeDatabase() async throws -> String {
        let name = "db\(UInt64.random(in: 0...UInt64.max))"
        try await run("createdb", login + ["--template=template0", "--encoding=UTF8", "--locale=C", name])
        return name
    }

    /// Runs statements as the superuser.
    package func query(_ text: String, in database: String = PostgreSQLCluster.database) async throws {
        try await run(
            "psql", login + ["--dbname", database, "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--command", text])
    }

    /// The options with which PostgreSQL's programs connect.
    private var login: [String] { ["--host", folder, "--port", "\(port)", "--username", Self.superuser] }

    private func openLog(_ program: String) throws -> Descriptor {
        let number = unsafe clinux_open("\(folder)/\(program).log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw TestProblem("\(program).log: error \(-number)") }
        return Descriptor(owning: number)
    }

    /// Starts the server again after ``kill()``, and returns when it accepts connections.
    package func start() async throws {
        let notices = try NoticeSocket(path: folder + "/notify")
        try giveAway(notices.path)
        // Nothing here has to survive a power cut. PostgreSQL must not do work of its own in a database while that
        // database is copied.
        let settings =
            [
                "listen_addresses=", "unix_socket_directories=\(folder)", "fsync=off", "autovacuum=off",
                "max_connections=200", "max_wal_size=256MB",
            ] + options
        let log = try openLog("postgres")
        let process = try ChildProcess.spawnBound(
            through: wrapper, executable: Self.programs + "postgres",
            arguments: ["-D", folder + "/data"] + settings.flatMap { ["-c", $0] },
            environment: Self.environment.merging(["NOTIFY_SOCKET": notices.path]) { $1 },
            descriptors: [(log, as: STDOUT_FILENO), (log, as: STDERR_FILENO)])
        running.withLock { $0 = Running(process: process, notices: notices) }
        let isReady = try await blocking { try notices.awaitReady(or: process.pidfd, seconds: 60) }
        guard isReady else {
            try await ends()
            throw TestProblem("postgres failed:\n\(try self.log().suffix(2000))")
        }
    }

    /// The server's log so far.
    package func log() throws -> String { try textOfFile(folder + "/postgres.log") }

    /// Returns when the server has ended by itself.
    package func ends() async throws {
        guard let process = running.withLock({ $0?.process }) else { return }
        _ = try await blocking { try process.waitForExit() }
        running.withLock { $0 = nil }
    }

    /// Ends all processes of the server as a crash of the machine would, and returns when they have ended.
    package func kill() async throws {
        guard let process = running.withLock({ $0?.process }) else { return }
        // A stopped server starts no process, so no process is missed. A missed process would keep the data locked.
        process.send(SIGSTOP)
        try await blocking {
            var status: Int32 = 0
            guard unsafe waitpid(process.pid, &status, WUNTRACED) == process.pid, status & 0xff == 0x7f else {
                throw TestProblem("the server does not stop")
            }
        }
        let others = try children(of: process.pid).map(ForeignProcess.init(pid:))
        for other in others { other.kill() }
        process.kill()
        _ = try await blocking { try process.waitForExit() }
        for other in others { try await other.waitForEnd() }
        running.withLock { $0 = nil }
    }

    /// Ends the server at once and removes the folder.
    private func remove() {
        if let process = running.withLock({ $0?.process }) {
            process.send(SIGQUIT)
            _ = try? process.waitForExit()
        }
        disk?.remove()
        _ = unsafe clinux_remove_tree(folder)
    }
}
