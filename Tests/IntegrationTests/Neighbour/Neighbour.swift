// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport

/// A hostile process of one user on the device's machine (`Tests/Neighbour`), and what it tries.
///
/// Only root can start it as another user. Any other user starts it as one of their subordinate users (subuid(5)), in
/// a user namespace in which they are root.
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
    /// Whether the neighbour only waits for the names to become free, and tries nothing else.
    var watches = false

    struct Outcome: Decodable, Sendable {
        /// The attempts that succeeded although they should have failed.
        let got: [[String]]
        /// The number of attempts of each kind.
        let tried: [String: Int]
    }

    /// Tries everything once.
    func act(beside live: LiveEnvironment) async throws -> Outcome { try await Self.outcome(of: start(beside: live)) }

    /// Runs `body` while a neighbour waits for names and takes each as soon as it is free.
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
