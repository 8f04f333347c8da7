// SPDX-License-Identifier: Apache-2.0
import BrokerDevice
import Processes
import Synchronization

/// The programs of an environment that run now, and how the environment ends: when it is asked to, or when one of them dies.
final class Programs: Sendable {
    /// Why an environment ends.
    enum Ending: Sendable {
        /// By a signal, or because the command has done its work.
        case asked
        /// The environment could not be brought up.
        case failed
        /// A program that served has died; its log's path says where to read why.
        case died(program: String, status: ExitStatus, log: String)
    }

    /// Settled as soon as the environment is to end; its programs are being stopped then.
    let ending = Promise<Ending>()
    /// Settled when no program runs any more.
    let ended = Promise<Void>()

    private struct State {
        var running: [Program] = []
        var isEnding = false
    }

    private let state = Mutex(State())

    /// The program of this name, where it runs.
    subscript(_ name: String) -> Program? { state.withLock { $0.running.first { $0.name == name } } }

    /// Whether the environment is ending or has ended.
    var isEnding: Bool { state.withLock { $0.isEnding } }

    /// Starts a program, waits until it serves, and watches it from then on; blocks.
    ///
    /// - Throws: ``CommandFailure``.
    func start(_ order: Program.Order) throws {
        let program = try state.withLock { state in
            guard !state.isEnding else { throw Program.failure(order, "the environment is being ended") }
            let program = try Program.spawn(order)
            state.running.append(program)
            return program
        }
        try program.awaitReady()
        try BlockingThread.start { [self] in
            guard let status = try? program.process.waitForExit() else { return }
            end(.died(program: program.name, status: status, log: program.log))
        }
    }

    /// Ends the environment: every program is asked to stop, the last one started first. Asked a second time while that
    /// goes on, it kills them; what they had not finished is finished at the next start.
    func end(_ reason: Ending) {
        let isFirst = state.withLock { state in
            defer { state.isEnding = true }
            return !state.isEnding
        }
        if isFirst {
            ending.settle(.success(reason))
            do { try BlockingThread.start { [self] in ended.settle(Result { try stop() }) } } catch {
                ended.settle(.failure(error))
            }
        } else if case .asked = reason {
            for program in state.withLock({ $0.running }) { program.process.kill() }
        }
    }

    private func stop() throws {
        while let program = state.withLock({ $0.running.last }) {
            try program.stop()
            state.withLock { $0.running.removeAll { $0.name == program.name } }
        }
    }
}

extension ExitStatus {
    /// The status in words.
    var text: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signalled(let signal): "signal \(signal)"
        }
    }
}
