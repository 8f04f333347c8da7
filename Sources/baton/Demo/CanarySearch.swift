// SPDX-License-Identifier: Apache-2.0
import Authenticator
import FoundationEssentials
import Glibc
import Processes
import UnixSocket

/// The search for what a worker left behind: before the sign-out it must hit, afterwards it must find nothing.
final class CanarySearch {
    private let stage: Stage
    private let programs: String
    private let file: String
    private let harvested: String

    /// - Parameter programs: the folder of the search's programs.
    init(_ stage: Stage, programs: String) {
        self.stage = stage
        self.programs = programs
        file = stage.world.layout.configuration + "/canaries.json"
        harvested = stage.world.layout.configuration + "/tokens.json"
    }

    /// Writes down what to look for: what is known of the worker, and the tokens that the session's process holds now.
    func mark(_ person: WorldFacts.Person, note: String) throws {
        var canaries = [
            "password": person.password, "user name": person.userName, "display name": person.displayName,
            "graph field": person.mobilePhone, "note": note,
        ]
        try run("harvest.py", [String(try session()), harvested], as: "harvest")
        let tokens = try JSONDecoder().decode(
            [String: String].self, from: Data(contentsOf: URL(filePath: harvested)))
        canaries.merge(tokens) { mine, _ in mine }
        try stage.world.layout.write(canaries, to: file)
        try FileManager.default.removeItem(atPath: harvested)
    }

    /// The search must be able to see: the worker is where a worker has to be.
    func expectHits() throws {
        try search(
            ["--process", "session=\(try session())"]
                + ["--expect-hit", "session=user name,display name", "--expect-hit", "apps=note"]
                + ["--expect-hit", "profiles", "--expect-none=device,logs,supervisor,agent"])
    }

    /// Nothing is left anywhere.
    func expectNone() throws { try search(["--expect-none"]) }

    private func search(_ more: [String]) throws {
        let layout = stage.world.layout
        var arguments = ["--canaries", file]
        for (name, path) in [
            ("device", layout.device), ("profiles", layout.profiles), ("apps", layout.apps), ("logs", layout.logs),
        ] { arguments += ["--surface", "\(name)=\(path)"] }
        for (name, program) in [("supervisor", "batond"), ("agent", "baton-agent")] {
            guard let pid = stage.world.running[program]?.process.pid else {
                throw StoryFailure("\(program) does not run")
            }
            arguments += ["--process", "\(name)=\(pid)"]
        }
        try run("canary.py", arguments + more, as: "canary")
    }

    /// The process that holds the session: the supervisor's only child.
    private func session() throws -> Int32 {
        guard let supervisor = stage.world.running["batond"]?.process.pid else {
            throw StoryFailure("batond does not run")
        }
        guard let child = try ProcessTable.read().entries.first(where: { $0.parent == supervisor && !$0.isZombie })
        else { throw StoryFailure("no process holds the session") }
        return child.pid
    }

    private func run(_ program: String, _ arguments: [String], as name: String) throws {
        let log = stage.world.layout.configuration + "/\(name).txt"
        let number = unsafe open(log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard number >= 0 else { throw StoryFailure("\(log) cannot be written") }
        let output = Descriptor(owning: number)
        let process = try ChildProcess.spawnBound(
            executable: "/usr/bin/python3", arguments: ["-B", programs + "/" + program] + arguments,
            environment: ["PATH": "/usr/bin:/bin"],
            descriptors: [(output, as: STDOUT_FILENO), (output, as: STDERR_FILENO)])
        let status = try process.waitForExit()
        let said = try String(contentsOf: URL(filePath: log), encoding: .utf8)
        guard status.isSuccess else { throw StoryFailure("\(program) ended with \(status):\n\(said)") }
    }
}
