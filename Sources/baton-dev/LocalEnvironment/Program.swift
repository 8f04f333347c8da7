// SPDX-License-Identifier: Apache-2.0
import CLinux
import CommandLineInterface
import FoundationEssentials
import Glibc
import Processes
import UnixSocket

/// A program of the environment. Its output goes to a log file.
struct Program: Sendable {
    /// The program to start, with its arguments.
    struct Order: Sendable {
        let name: String
        let executable: String
        let arguments: [String]
        /// A command through which the program is started; empty for none.
        let wrapper: [String]
        let layout: EnvironmentLayout
        /// Whether a person may close the program. Closing it ends the environment, as Ctrl-C does.
        var isClosedByPerson = false
        /// Whether the program is started again when it exits, as systemd does on a device.
        var isStartedAgain = false

        var log: String { layout.logs + "/\(name).log" }
    }

    let order: Order
    let process: ChildProcess
    private let readiness: NoticeSocket

    var name: String { order.name }
    var log: String { order.log }

    /// Seconds within which a program must be ready to serve.
    private static let patience: Int32 = 120

    /// Starts a program with this process's environment.
    ///
    /// - Throws: ``CommandFailure``, ``ProcessFailure``, ``SocketError``.
    static func spawn(_ order: Order) throws -> Program {
        let number = unsafe clinux_open(order.log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard number >= 0 else { throw failure(order, "its log cannot be written") }
        let output = Descriptor(owning: number)
        let readiness = try NoticeSocket(path: order.layout.run + "/\(order.name).ready")
        var environment = ProcessInfo.processInfo.environment
        environment["NOTIFY_SOCKET"] = readiness.path
        let process = try ChildProcess.spawnBound(
            through: order.wrapper, executable: order.executable, arguments: order.arguments, environment: environment,
            descriptors: [(output, as: STDOUT_FILENO), (output, as: STDERR_FILENO)])
        return Program(order: order, process: process, readiness: readiness)
    }

    /// Blocks until the program reports that it is ready to serve.
    ///
    /// - Throws: ``CommandFailure`` with the path of the program's log if the program ends or is not ready in time.
    func awaitReady() throws {
        guard try readiness.awaitReady(or: process.pidfd, seconds: Self.patience) else {
            let status = try process.waitForExit()
            throw Self.failure(order, "it ended (\(status.text)) before it was ready")
        }
        try BlockingThread.start { [readiness, process] in readiness.ignore(until: process.pidfd) }
    }

    /// Asks the program to exit and waits until it has exited.
    func stop() throws {
        process.send(SIGTERM)
        _ = try process.waitForExit()
    }

    static func failure(_ order: Order, _ cause: String) -> CommandFailure {
        CommandFailure(
            code: "program_not_started", message: "\(order.name) does not run: \(cause).",
            remedy: "Read \(order.log).")
    }
}
