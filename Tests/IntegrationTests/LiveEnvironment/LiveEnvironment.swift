// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Glibc
import Processes
import Redaction
import Synchronization
import TestSupport
import UnixSocket

/// A complete environment of real programs on loopback: a server with an organisation, and one device, enrolled and
/// joined.
///
/// `baton-dev up` creates it and Carol joins the device. Then the same programs are started again on the same folder,
/// one by one, so that a test can kill and restart each of them.
final class LiveEnvironment: Sendable {
    /// The programs of a device and its server.
    enum Program: String, CaseIterable {
        case server = "baton-server"
        case broker = "batond"
        case agent = "baton-agent"
    }

    let facts: EnvironmentFacts
    /// The users of the device's programs; nil if all run as the tests' own user.
    let users: DeviceUsers?
    /// Whether people use a real browser; in the soak test they do, unless the suite decides otherwise. If they do not,
    /// a client posts the pages' forms, which takes a tenth of the time.
    let hasBrowser: Bool
    let scratch: Scratch
    private let running = Mutex<[Program: RunningProgram]>([:])

    /// Makes the environment in `scratch`.
    init(in scratch: Scratch, users: DeviceUsers? = nil, hasBrowser: Bool? = nil) async throws {
        (self.scratch, self.users, self.hasBrowser) = (scratch, users, hasBrowser ?? Soak.isRunning)
        let root = scratch.path("w")
        // A small program takes the place of the app that the MDM installs; the tests themselves are the apps that use
        // the broker.
        let arguments = [
            "up", "--directory", root, "--person",
            try users?.person(in: scratch) ?? Repository.root + "/Tests/Person/person.py",
            "--sample", "/usr/bin/true", "--ward-round", "/usr/bin/true", "--unjoined",
        ]
        let up = try await RunningProgram.start(
            try RunningProgram.built("baton-dev"), arguments, log: "up.log", in: scratch)
        scratch.atEnd { _ = try? await up.stop() }
        facts = try JSONDecoder().decode(
            EnvironmentFacts.self, from: Data(contentsOf: URL(filePath: root + "/environment.json")))
        try await nameNoDataFolders()
        try seat("Carol")
        try await join()
        guard try await up.stop() == 0 else { throw TestProblem("baton-dev up did not end well:\n\(try up.log())") }
        try users?.own(root: root, in: scratch)
        for program in Program.allCases { try await start(program) }
    }

    /// Makes the MDM configure the sample apps for the terminal without folders of data. The tests' own process acts as
    /// these apps, and the agent could not end this process, which has started the agent. Tests that need folders of
    /// data name them in the device's registry.
    private func nameNoDataFolders() async throws {
        for app in facts.apps.dropLast() {
            let configuration = ["clientId": app.clientID, "redirectUri": app.redirectURI]
            try await administer(
                "app", "push", app.bundleID, "--device", "ward-7-tablet", "--configuration",
                String(decoding: try JSONEncoder().encode(configuration), as: UTF8.self))
        }
        guard case .checkedIn(_, failed: 0, later: 0) = try await ask(.checkIn) else {
            throw TestProblem("the device does not check in")
        }
    }

    func join() async throws {
        guard try await joins() else {
            throw TestProblem("the join failed:\n\(try textOfFile(scratch.path("join.log")))")
        }
    }

    /// Has Carol, who must be at the device, join it.
    ///
    /// - Returns: whether the command line reports the device as joined.
    func joins() async throws -> Bool {
        let baton = try RunningProgram.built("baton")
        let order = [
            "device", "join", "--login", facts.loginURL, "--registration", facts.registrationURL,
            "--tenant", EnvironmentFacts.domain, "--name", "ward-7-tablet", "--runtime-directory", path("run"),
        ]
        let join = try await RunningProgram.start(baton, order, log: "join.log", awaitsReady: false, in: scratch)
        return try await join.waitForExit() == 0
    }

    /// Searches everything that the device keeps for a person's data and for these texts.
    func findsNothing(
        of givenName: String, or texts: [String: String] = [:], keys: [String: [UInt8]] = [:]
    ) async throws {
        let none = try canaries(of: givenName).merging(texts) { mine, _ in mine }
        // Files change while the broker works, so it is stopped during the search. It may also be dead.
        try? send(SIGSTOP, to: .broker)
        defer { try? send(SIGCONT, to: .broker) }
        try await finds(none: none, keys: keys, in: try surfaces())
    }

    /// The path of a program's log.
    func logPath(of program: Program) -> String { scratch.path(program.rawValue + ".log") }

    /// The path of something in the environment's folder.
    func path(_ name: String) -> String { scratch.path("w/" + name) }

    /// The names in a folder of the environment. Empty if the folder does not exist, which happens between a rename and
    /// the creation of the next folder.
    func names(in folder: String) throws -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted() } catch CocoaError
            .fileReadNoSuchFile
        { return [] }
    }

    // MARK: Programs

    /// Starts a program, from its own file or a copy, and waits until it serves.
    ///
    /// - Parameters:
    ///   - point: the failpoint at which the program, or the session process that it starts, dies.
    ///   - entrance: a command that replaces itself with the program (exec(3)).
    @discardableResult
    func start(
        _ program: Program, file: String? = nil, by manager: ServiceManager? = nil, dyingAt point: Failpoint? = nil,
        through entrance: [String] = []
    ) async throws -> RunningProgram {
        let words = try command(
            program, file: file ?? users?.file(of: program, in: scratch),
            through: entrance + (users?.entrance(of: program) ?? []))
        let manager = try manager ?? users?.serviceManager(for: program, in: scratch)
        let started = try await RunningProgram.start(
            words[0], Array(words.dropFirst()),
            environment: point.map { [Failpoint.variable: $0.rawValue] } ?? [:], log: program.rawValue + ".log",
            manager: manager, in: scratch)
        running.withLock { $0[program] = started }
        return started
    }

    private func command(_ program: Program, file: String? = nil, through entrance: [String]) throws -> [String] {
        entrance + [
            try file ?? RunningProgram.built(program.rawValue), "--config",
            configurationPath(of: program),
        ]
    }

    func configurationPath(of program: Program) -> String { path("configuration/\(program.rawValue).json") }

    /// Starts systemd's own tool, which listens for the broker and starts it at the first connection.
    func startBrokerOnDemand() async throws -> RunningProgram {
        let sockets = ["broker", "agent", "control"]
        let arguments =
            sockets.flatMap { ["--listen", path("run/\($0).sock")] } + ["--fdname", sockets.joined(separator: ":")]
            + [try RunningProgram.built("batond"), "--config", path("configuration/batond.json")]
        for socket in sockets { try? FileManager.default.removeItem(atPath: path("run/\(socket).sock")) }
        let started = try await RunningProgram.start(
            "/usr/bin/systemd-socket-activate", arguments, log: "activated.log", awaitsReady: false, in: scratch)
        try await FolderWatch(path("run")).until("listening") { [self] in
            try Set(sockets.map { $0 + ".sock" }).isSubset(of: names(in: "run"))
        }
        return started
    }

    /// Starts a software TPM.
    func softwareTPM(_ name: String) async throws -> SoftwareTPM { try await SoftwareTPM.start(name, in: scratch) }

    /// A service manager for one of the programs.
    func serviceManager(sockets: [(name: String, descriptor: Descriptor)] = []) throws -> ServiceManager {
        try ServiceManager(in: scratch, sockets: sockets)
    }

    /// Starts a program that is expected to end before it serves, and returns the end of its log.
    func refusal(
        _ program: Program, by manager: ServiceManager? = nil, dyingAt point: String? = nil,
        through entrance: [String] = []
    ) async throws -> String {
        let words = try command(program, through: entrance)
        let wrong: RunningProgram
        do {
            wrong = try await RunningProgram.start(
                words[0], Array(words.dropFirst()),
                environment: point.map { [Failpoint.variable: $0] } ?? [:],
                log: "refusal-\(UInt32.random(in: 0...UInt32.max)).log", manager: manager, in: scratch)
        } catch let problem as TestProblem { return problem.description }
        wrong.kill()
        try await wrong.waitForExit()
        throw TestProblem("\(program.rawValue) serves")
    }

    /// Kills a program, as a crash would.
    func kill(_ program: Program) async throws {
        let victim = try process(program)
        running.withLock { $0[program] = nil }
        victim.kill()
        try await victim.waitForExit()
    }

    /// Waits until a program that is to die at a failpoint has died.
    func awaitEnd(of program: Program) async throws {
        let victim = try process(program)
        try await victim.waitForExit()
        running.withLock { $0[program] = nil }
    }

    /// Stops a program (`SIGSTOP`) or continues it (`SIGCONT`).
    func send(_ signal: Int32, to program: Program) throws { try process(program).send(signal) }

    /// The content of a program's log.
    func log(of program: Program) throws -> String { try process(program).log() }

    /// Waits until a program has logged `text` at least `times` times since the environment was created.
    func log(of program: Program, says text: String, times: Int = 1) async throws {
        let path = logPath(of: program)
        try await FolderWatch(scratch.path).until("in the log: \(text)") {
            try textOfFile(path).components(separatedBy: text).count > times
        }
    }

    func pid(of program: Program) throws -> Int32 { try process(program).pid }

    private func process(_ program: Program) throws -> RunningProgram {
        guard let process = running.withLock({ $0[program] }) else {
            throw TestProblem("\(program.rawValue) does not run")
        }
        return process
    }

    /// The current session process, which the broker started.
    func sessionProcess() throws -> ForeignProcess {
        guard let process = try sessionProcesses().first else { throw TestProblem("batond has no session process") }
        return try ForeignProcess(pid: process)
    }

    /// The process ids of all session processes, including one that is loaded and not yet used.
    func sessionProcesses() throws -> [Int32] {
        try children(of: try process(.broker).pid).filter {
            try textOfFile("/proc/\($0)/cmdline").contains("\0session\0")
        }
    }

    /// Runs a program of `Tests/Clients` or `Tests/Proxies` in addition to those of the environment.
    ///
    /// - Parameter script: the program's path below `Tests`.
    func runAside(_ script: String, _ arguments: [String], awaitsReady: Bool = true) async throws -> RunningProgram {
        let name = URL(filePath: script).lastPathComponent
        return try await RunningProgram.start(
            "/usr/bin/python3", ["-u", Repository.root + "/Tests/" + script] + arguments,
            log: "\(name)-\(UInt32.random(in: 0...UInt32.max)).log", awaitsReady: awaitsReady, in: scratch)
    }

    /// Starts any program that does not belong to the environment.
    func runAside(program: String, _ arguments: [String]) async throws -> RunningProgram {
        try await RunningProgram.start(
            program, arguments, log: "aside-\(UInt32.random(in: 0...UInt32.max)).log", awaitsReady: false, in: scratch)
    }

    // MARK: The person at the browser

    /// Puts a person in front of the device.
    ///
    /// - Parameter fifo: the name of a FIFO in the environment's folder. The person reads from it before they type
    ///   the password.
    func seat(
        _ givenName: String, wrongPasswordFirst: Bool = false, closesBrowser: Bool = false,
        waitingFor fifo: String? = nil
    ) throws {
        let person = try person(givenName)
        var seated: [String: Any] = [
            "username": person.userName, "password": person.password, "wrongPasswordFirst": wrongPasswordFirst,
            "closeInsteadOfSignIn": closesBrowser, "saves": try savedText(of: givenName),
        ]
        seated["waitsFor"] = fifo.map(path)
        try seat(seated)
    }

    /// Puts a person in front of the device. `person` describes how the person acts (Tests/Person/person.py).
    func seat(_ person: [String: Any]) throws {
        var person = person
        person["withoutBrowser"] = !hasBrowser
        try JSONSerialization.data(withJSONObject: person).write(to: URL(filePath: path("configuration/person.json")))
        try users?.give(path("configuration/person.json"), toUserOf: .agent)
    }

    /// Removes the person. From now on, a page that needs a person fails.
    func leave() throws { try FileManager.default.removeItem(atPath: path("configuration/person.json")) }

    func person(_ givenName: String) throws -> EnvironmentFacts.Person {
        guard let person = facts.people.first(where: { $0.givenName == givenName }) else {
            throw TestProblem("nobody is called \(givenName)")
        }
        return person
    }

    // MARK: The resource server

    /// The HTTP status of Graph's `/me` for `accessToken`.
    func me(_ accessToken: String) async throws -> Int? {
        let script = """
            import http.client, os, socket, ssl
            host, port = "graph.baton.test", int(os.environ["PORT"])
            tls = ssl.create_default_context(cafile=os.environ["ROOT"])
            connection = http.client.HTTPSConnection(host, port)
            connection.sock = tls.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname=host)
            connection.request("GET", "/v1.0/me", headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
            print(connection.getresponse().status)
            """
        return Int(try await printed(by: script, ["TOKEN": accessToken]))
    }

    /// Runs a Python script and returns its output. Its environment has the server's port (`PORT`) and the path of the
    /// trust root (`ROOT`).
    func printed(by script: String, _ environment: [String: String]) async throws -> String {
        let server = ["PORT": "\(facts.port)", "ROOT": path("server/ca/root.pem")]
        let program = try await RunningProgram.start(
            "/usr/bin/python3", ["-c", script], environment: server.merging(environment) { _, own in own },
            log: "python-\(UInt32.random(in: 0...UInt32.max)).log", awaitsReady: false, in: scratch)
        try await program.waitForExit()
        return try program.log().trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: The administrator

    /// Runs a command of `baton admin`.
    func administer(_ words: String...) async throws { try await administer(words) }

    func administer(_ words: [String]) async throws {
        let baton = try RunningProgram.built("baton")
        let act = try await RunningProgram.start(
            baton, ["admin"] + words + ["--server", path("server")],
            log: "admin-\(UInt32.random(in: 0...UInt32.max)).log", awaitsReady: false, in: scratch)
        guard try await act.waitForExit() == 0 else { throw TestProblem("refused:\n\(try act.log())") }
    }

    // MARK: The operator

    /// Sends a request to the broker, as `baton` does.
    @discardableResult
    func ask(_ request: OperatorRequest) async throws -> OperatorReply {
        try await OperatorSocket(path: path("run/control.sock")).ask(request)
    }

    func status() async throws -> DeviceStatus {
        guard case .status(let status) = try await ask(.status) else { throw TestProblem("no status") }
        return status
    }

    /// Returns the first state of the device, as the broker publishes it to home screens, that meets the condition.
    ///
    /// - Throws: an error if no state meets the condition within a minute.
    func deviceState(_ isMet: @escaping @Sendable (DeviceState) -> Bool) async throws -> DeviceState {
        let channel = try FramedJSON<DeviceState, DeviceState>.connect(
            to: path("run/status.sock"), limits: Wire.statusLimits)
        try channel.connection.descriptor.setReceiveTimeout(milliseconds: 60_000)
        return try await blocking {
            while true {
                let state = try channel.receive().message
                if isMet(state) { return state }
            }
        }
    }

    /// Signs the worker out, if anybody is signed in. Returns when the device is ready.
    func settle() async throws {
        let reply = try await ask(.signOut(fromBrowser: false))
        guard case .done = reply else { throw TestProblem("the device does not become ready: \(reply)") }
    }

    /// Waits until the agent is connected to the broker. The agent reconnects by itself.
    func awaitAgent() async throws {
        try await untilLogged("the agent is back") { [self] in try await status().agentConnected }
    }

    /// Waits until the broker serves again and the device is ready. The broker retries by itself.
    func comesBack() async throws {
        // For a moment the broker's socket is not served. The agent reconnects last, and that is logged.
        try await untilLogged("the device is back") { [self] in
            guard let status = try? await status() else { return false }
            return status.session == "ready" && status.agentConnected
        }
    }

    /// Waits until `holds` returns true. `holds` is called at once and after each line in a program's log, so a change
    /// must be followed by such a line.
    func untilLogged(_ what: String, holds: @escaping @Sendable () async throws -> Bool) async throws {
        try await FolderWatch(scratch.path).until(what, holds: holds)
    }

    // MARK: The environment of one test

    @TaskLocal private static var current: LiveEnvironment?

    /// Provides an environment to every test that `body` runs.
    static func lend(
        users: DeviceUsers? = nil, hasBrowser: Bool? = nil, _ body: () async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let live = try await LiveEnvironment(in: scratch, users: users, hasBrowser: hasBrowser)
            try await $current.withValue(live, operation: body)
        }
    }

    /// Returns the suite's environment in the state in which every test begins: all programs run, the device is ready,
    /// and no app has an account.
    static func ready() async throws -> LiveEnvironment {
        guard let live = current else { throw TestProblem("the suite lacks the trait .live") }
        for program in Program.allCases {
            let running = live.running.withLock { $0[program] }
            running?.send(SIGCONT)
            if running == nil { try await live.start(program) }
        }
        try await live.settle()
        try await live.awaitAgent()
        if FileManager.default.fileExists(atPath: live.path("configuration/person.json")) { try live.leave() }
        for number in live.facts.apps.map(\.number) {
            let app = try live.app(number)
            while try await app.accounts().previous != nil {}
        }
        return live
    }
}
