// SPDX-License-Identifier: Apache-2.0
import Glibc
import HomeScreen
import Processes
import Synchronization
import UnixSocket

/// A window of the home screen and every window that was opened from it. All of them are in one confinement.
final class OpenWindow: Sendable {
    /// Why a window ended.
    enum Ending: Sendable, Equatable, CustomStringConvertible {
        /// The person closed it.
        case closed
        case crashed(ExitStatus)
        case pageLost, handover, cancelled

        var description: String {
            switch self {
            case .closed: "closed"
            case .crashed(let status): "the browser ended: \(status.text)"
            case .pageLost: "the page died"
            case .handover: "hand-over"
            case .cancelled: "ended"
            }
        }
    }

    private let process: ChildProcess
    private struct State {
        /// Why this program ended the window; nil if it did not.
        var cause: Ending?
        /// The status of the ended process; while it is nil, the process's id belongs to no other process.
        var status: ExitStatus?
    }

    private let state = Mutex(State())
    /// Held while processes are killed, and while the ended process is reaped.
    private let sweep = Mutex(())

    init(_ process: ChildProcess) { self.process = process }

    /// Returns when the window has ended. Ends the window itself if its page has died or the task is cancelled.
    ///
    /// - Throws: ``ProcessFailure``.
    func ending(_ presence: PagePresence, start: Duration, patience: Duration) async throws -> Ending {
        // The process has not been reaped yet, so the id still belongs to it.
        let window = ((try? ProcessTable.entry(process.pid)) ?? nil)?.name
        return try await withThrowingTaskGroup { group in
            group.addTask {
                if let window { await presence.awaitLoss(in: window, start: start, patience: patience) }
                await self.end(Task.isCancelled ? .cancelled : .pageLost)
            }
            let status = try await blocking { try self.awaitExit() }
            // From here on, the task that watches the page changes nothing.
            group.cancelAll()
            return state.withLock { state in
                state.cause ?? (status.isSuccess ? .closed : .crashed(status))
            }
        }
    }

    /// Kills every process of the window, and returns when they have ended.
    func end(_ reason: Ending) async {
        let isRunning = state.withLock { state in
            guard state.status == nil else { return false }
            state.cause = state.cause ?? reason
            return true
        }
        // Try again if a process does not end: the window may still be open.
        while isRunning, (try? await blocking { try self.kill() }) == nil { try? await Task.sleep(for: .seconds(1)) }
    }

    private func kill() throws {
        try sweep.withLock { _ in
            if state.withLock({ $0.status == nil }) { try ProcessSweep.end(process) }
        }
    }

    /// Blocks until the process has ended.
    private func awaitExit() throws -> ExitStatus {
        while !process.pidfd.isReadable(within: .max) {}
        return try sweep.withLock { _ in
            let status = try process.waitForExit()
            state.withLock { $0.status = status }
            return status
        }
    }
}
