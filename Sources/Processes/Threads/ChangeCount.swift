// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Counts changes, which any thread may report. A task can wait for the next change that it has not seen.
package final class ChangeCount: Sendable {
    private struct State {
        var count: UInt64
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var tickets: UInt64 = 0
    }

    private let state: Mutex<State>

    /// - Parameter first: the number from which changes are counted.
    package init(from first: UInt64 = 0) { state = Mutex(State(count: first)) }

    /// The number of the latest change.
    package var value: UInt64 { state.withLock(\.count) }

    /// Reports a change; never blocks.
    package func advance() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Suspends until there have been more than `seen` changes, or until the task is cancelled.
    package func beyond(_ seen: UInt64) async {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    guard state.count <= seen, !Task.isCancelled else { return true }
                    state.waiting[ticket] = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
        }
    }
}
