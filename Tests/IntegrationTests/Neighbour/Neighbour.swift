// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport

/// What a hostile process of one user tries beside a device; see `Tests/Neighbour`.
///
/// Only root can start it as another user. Any other user starts it as a subordinate user of theirs (subuid(5)), in a user
/// namespace in which they are root themselves.
struct Neighbour: Encodable, Sendable {
    let user: UInt32
    var pids: [Int32] = []
    var owners: [UInt32] = []
    var needles: [String] = []
    var ports: [Int] = []
    var addresses: [String] = []
    var sockets: [String] = []
    var folders: [String] = []
    var names: [String] = []
    /// Whether it waits for the names to be free, and tries nothing else.
    var watches = false

    struct Outcome: Decodable, Sendable {
        /// What it got, and must not have.
        let got: [[String]]
        /// How often it tried each thing.
        let tried: [String: Int]
    }

    /// Tries everything once.
    func act(beside live: LiveEnvironment) async throws -> Outcome { try await Self.outcome(of: start(beside: live)) }

    /// Waits for its names beside what `body` does, and takes each as soon as it is free.
    static func watching(
        _ names: [String], as user: UInt32, beside live: LiveEnvironment, while body: () async throws -> Void
    ) async throws -> Outcome {
        let program = try await Neighbour(user: user, names: names, watches: true).start(beside: live)
        try await FolderWatch(URL(filePath: program.logPath).deletingLastPathComponent().path).until(
            "the neighbour watches"
        ) { try program.log().contains("watching") }
        try await body()
        program.send(SIGTERM)
        return try await outcome(of: program)
    }

    private func start(beside live: LiveEnvironment) async throws -> RunningProgram {
        let request = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        let command =
            (geteuid() == 0 ? [] : ["/usr/bin/unshare", "--user", "--map-auto", "--map-root-user", "--"])
            + ["/usr/bin/python3", "-B", Repository.root + "/Tests/Neighbour/neighbour.py", request]
        return try await live.runAside(program: command[0], Array(command.dropFirst()))
    }

    private static func outcome(of program: RunningProgram) async throws -> Outcome {
        let code = try await program.waitForExit()
        let log = try program.log()
        guard code == 0 else { throw TestProblem("the neighbour failed:\n\(log)") }
        return try JSONDecoder().decode(Outcome.self, from: Data((log.split(separator: "\n").last ?? "").utf8))
    }
}
