// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Processes
import UnixSocket

/// Searches for traces of a worker. The search must find traces before the sign-out, and none afterwards.
final class CanarySearch {
    private let stage: Stage
    private let program: String
    private var canaries: [String: String] = [:]

    /// Makes a search of the environment of `stage`.
    ///
    /// - Parameter program: the path of the search program.
    init(_ stage: Stage, program: String) {
        self.stage = stage
        self.program = program
    }

    /// Collects the texts to search for: the worker's known data, and the tokens that the session process holds now.
    func mark(_ person: EnvironmentFacts.Person, note: String) async throws {
        let known = [
            "password": person.password, "user name": person.userName, "display name": person.displayName,
            "graph field": person.mobilePhone, "note": note,
        ]
        let tokens = try await run(["harvest", String(try session())])
        canaries = try JSONDecoder().decode([String: String].self, from: Data(tokens.utf8)).merging(known) { $1 }
    }

    /// Checks that the search works: it must find the worker's data in the session process, the home screen, the bar, the
    /// apps and the browser's profile, and none of this data in the device's files, the logs, the supervisor and the agent.
    func expectHits() async throws {
        guard let bar = stage.bar?.process.pid else { throw StoryFailure("there is no bar") }
        try await search(
            try programs().merging(["session": try session(), "bar": bar]) { $1 },
            ["--expect-hit", "session=user name,display name", "--expect-hit", "home=user name,display name"]
                + ["--expect-hit", "bar=display name", "--expect-hit", "apps=note"]
                + ["--expect-hit", "profiles", "--expect-none-in", "device,logs,supervisor,agent"])
    }

    /// Checks that nothing is left, neither in a file nor in the memory of a program.
    func expectNone() async throws {
        var processes = try programs()
        let supervised = try ProcessTable.read().descendants(of: processes["supervisor"] ?? 0)
        for process in supervised where !process.isZombie { processes["supervised \(process.pid)"] = process.pid }
        try await search(processes, ["--expect-none"])
    }

    /// The programs that the environment's device runs all the time.
    private func programs() throws -> [String: Int32] {
        try ["supervisor": "batond", "agent": "baton-agent", "home": "home"].mapValues { program in
            guard let running = stage.local.running[program] else { throw StoryFailure("\(program) does not run") }
            return running.process.pid
        }
    }

    /// Searches the device's files and the memory of these processes.
    private func search(_ processes: [String: Int32], _ rules: [String]) async throws {
        let layout = stage.local.layout
        let surfaces = [
            ("device", layout.device), ("profiles", layout.profiles), ("apps", layout.apps), ("logs", layout.logs),
        ]
        var arguments = ["search"]
        for (name, path) in surfaces { arguments += ["--surface", "\(name)=\(path)"] }
        for (name, pid) in processes { arguments += ["--process", "\(name)=\(pid)"] }
        _ = try await run(arguments + rules, input: try JSONEncoder().encode(canaries))
    }

    /// The session process: the supervisor's only child.
    private func session() throws -> Int32 {
        guard let supervisor = stage.local.running["batond"]?.process.pid else {
            throw StoryFailure("batond does not run")
        }
        guard let child = try ProcessTable.read().entries.first(where: { $0.parent == supervisor && !$0.isZombie })
        else { throw StoryFailure("no process holds the session") }
        return child.pid
    }

    /// Runs the search program. The canaries are passed in memory only, so that the search finds no trace of itself.
    private func run(_ arguments: [String], input: Data = Data()) async throws -> String {
        let (input, output) = (try MemoryFile(holding: Array(input)), try MemoryFile())
        let status = try await blocking { [program] in
            try ChildProcess.spawnBound(
                executable: program, arguments: arguments, environment: ["PATH": "/usr/bin:/bin"],
                descriptors: [
                    (input.descriptor, as: STDIN_FILENO), (output.descriptor, as: STDOUT_FILENO),
                    (output.descriptor, as: STDERR_FILENO),
                ]
            ).waitForExit()
        }
        let said = String(decoding: try output.content(), as: UTF8.self)
        guard status.isSuccess else { throw StoryFailure("the search for traces ended with \(status):\n\(said)") }
        return said
    }
}
