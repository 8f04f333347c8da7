// SPDX-License-Identifier: Apache-2.0
internal import Processes
internal import Synchronization

/// Whether a page of the home screen is open: an open page always waits for the next view.
package final class PagePresence: Sendable {
    /// How many requests may wait at once.
    private static let maximum = 16

    private struct Requests {
        var waiting = 0
        /// How many began to wait so far.
        var total = 0
    }

    private let requests = Mutex(Requests())
    private let changes = ChangeCount()

    init() {}

    /// Notes that a page waits; returns false if too many wait.
    func enter() -> Bool {
        let isAllowed = requests.withLock { requests in
            guard requests.waiting < Self.maximum else { return false }
            requests.waiting += 1
            requests.total += 1
            return true
        }
        if isAllowed { changes.advance() }
        return isAllowed
    }

    func leave() {
        requests.withLock { $0.waiting -= 1 }
        changes.advance()
    }

    /// Suspends until no page has been open for `patience`, or until the task is cancelled.
    ///
    /// - Parameter start: how long a new page may take. Requests of the page before may still be ending.
    package func awaitLoss(start: Duration, patience: Duration) async {
        let former = requests.withLock(\.total)
        while !Task.isCancelled {
            let seen = changes.value
            let (isOpen, isNew) = requests.withLock { ($0.waiting > 0, $0.total > former) }
            if isOpen {
                await changes.beyond(seen)
            } else if await !isChanged(beyond: seen, within: isNew ? patience : start) {
                return
            }
        }
    }

    private func isChanged(beyond seen: UInt64, within limit: Duration) async -> Bool {
        await withTaskGroup { [changes] group in
            group.addTask {
                await changes.beyond(seen)
                return true
            }
            group.addTask {
                // Time in which the machine sleeps does not count.
                try? await Task.sleep(for: limit, clock: .suspending)
                return false
            }
            let isChanged = await group.next() ?? false
            group.cancelAll()
            return isChanged
        }
    }
}
