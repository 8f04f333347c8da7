// SPDX-License-Identifier: Apache-2.0
import Processes
import Synchronization

/// The running programs of an environment. The environment ends on request, or when one of its programs exits and is not
/// started again.
final class Programs: Sendable {
    /// The reasons why an environment ends.
    enum Ending: Sendable {
        /// A signal arrived, or the command is done.
        case asked
        /// The environment could not be started.
        case failed
        /// A program exited after it had become ready to serve. Its log says why.
        case died(program: String, status: ExitStatus, log: String)
    }

    /// Settled as soon as the environment begins to end. Its programs may still be running.
    let ending = Promise<Ending>()
    /// Settled when no program is running any more.
    let ended = Promise<Void>()

    private struct State {
        var running: [Program] = []
        var isEnding = false
        /// When each program was started again.
        var restarts: [String: [ContinuousClock.Instant]] = [:]
    }

    /// A program that exits more often than this within a minute is not started again.
    private static let maximumRestarts = 5

    /// Called on a thread that may block, with the program that was started again and how its former process exited;
    /// nil if programs that exit are not started again.
    private let restarted: (@Sendable (Program, ExitStatus) -> Void)?

    init(restarted: (@Sendable (Program, ExitStatus) -> Void)?) { self.restarted = restarted }

    private let state = Mutex(State())

    /// The running program with this name, if any.
    subscript(_ name: String) -> Program? { state.withLock { $0.running.first { $0.name == name } } }

    /// Whether the environment is ending or has ended.
    var isEnding: Bool { state.withLock { $0.isEnding } }

    /// Starts a program, blocks until it is ready to serve, and then watches it.
    ///
    /// - Parameter spawned: called as soon as its process runs.
    /// - Throws: ``CommandFailure``.
    func start(_ order: Program.Order, spawned: (Program) -> Void = { _ in }) throws {
        let program = try state.withLock { state in
            guard !state.isEnding else { throw Program.failure(order, "the environment is being ended") }
            let program = try Program.spawn(order)
            state.running.append(program)
            return program
        }
        spawned(program)
        try program.awaitReady()
        try BlockingThread.start { [self] in
            guard let status = try? program.process.waitForExit() else { return }
            exited(program, status)
        }
    }

    private func exited(_ program: Program, _ status: ExitStatus) {
        let isKnown = state.withLock { $0.running.contains { $0.process.pid == program.process.pid } }
        guard isKnown else { return }
        var status = status
        while mayRestart(program) {
            let former = status
            let isStarted = (try? start(program.order) { restarted?($0, former) }) != nil
            if isStarted || isEnding { return }
            // The new process ended before it was ready. If there was no new process, the former status says why the
            // program ended.
            status = (try? self[program.name]?.process.waitForExit()) ?? former
        }
        end(
            program.order.isClosedByPerson && status.isSuccess
                ? .asked : .died(program: program.name, status: status, log: program.log))
    }

    /// Returns whether the program may be started again; if so, records the restart.
    private func mayRestart(_ program: Program) -> Bool {
        state.withLock { state in
            guard restarted != nil, program.order.isStartedAgain, !state.isEnding else { return false }
            let recent = state.restarts[program.name, default: []].filter { $0.duration(to: .now) < .seconds(60) }
            guard recent.count < Self.maximumRestarts else { return false }
            state.restarts[program.name] = recent + [.now]
            state.running.removeAll { $0.name == program.name }
            return true
        }
    }

    /// Ends one program; the environment continues. Blocks.
    func stop(_ name: String) throws {
        let stopped = state.withLock { state in
            defer { state.running.removeAll { $0.name == name } }
            return state.running.first { $0.name == name }
        }
        try stopped?.stop()
    }

    /// Ends the environment: asks every program to stop, beginning with the program that was started last. A second
    /// call, with `asked`, kills the programs that are still stopping. The next start finishes the work that they leave
    /// unfinished.
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
