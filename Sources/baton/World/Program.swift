// SPDX-License-Identifier: Apache-2.0
import Authenticator
import CLinux
import Glibc
import UnixSocket

/// A program of the world, with what it says in a log file.
struct Program: Sendable {
    let name: String
    let process: ChildProcess
    let log: String

    /// Starts `executable` and waits until it says that it serves.
    ///
    /// - Throws: ``CommandFailure`` with the end of its log where it does not.
    static func start(
        _ name: String, executable: String, arguments: [String], environment: [String: String], layout: WorldLayout
    ) throws -> Program {
        let log = layout.logs + "/\(name).log"
        let number = unsafe clinux_open(log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard number >= 0 else { throw failure(name, "its log cannot be written", log) }
        let output = Descriptor(owning: number)
        let readiness = try ReadinessSocket(path: layout.run + "/\(name).ready")
        var environment = environment
        environment["NOTIFY_SOCKET"] = readiness.path
        let process = try ChildProcess.spawn(
            executable: executable, arguments: arguments, environment: environment,
            descriptors: [(output, as: STDOUT_FILENO), (output, as: STDERR_FILENO)])
        guard try readiness.awaitReady(or: process.pidfd, seconds: 120) else {
            let status = try process.waitForExit()
            throw failure(name, "it ended (\(status)) before it was ready", log)
        }
        return Program(name: name, process: process, log: log)
    }

    /// Asks the program to end and waits until it has.
    func stop() throws {
        process.send(SIGTERM)
        _ = try process.waitForExit()
    }

    private static func failure(_ name: String, _ cause: String, _ log: String) -> CommandFailure {
        CommandFailure(
            code: "program_not_started", message: "\(name) does not run: \(cause).", remedy: "Read \(log).")
    }
}
