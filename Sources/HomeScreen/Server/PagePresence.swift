// SPDX-License-Identifier: Apache-2.0
package import Processes
internal import Synchronization

/// Whether the page in a window of the home screen is open: an open page always waits for the next view.
///
/// Other programs of the same user, such as the worker's browser, can also ask for views. Their requests do not count
/// for any window.
package final class PagePresence: Sendable {
    /// How many requests from one window, or from all other programs together, may wait at once.
    private static let maximum = 16

    /// The requests from one window, or from all other programs.
    private final class Page: Sendable {
        let requests = Mutex((waiting: 0, total: 0))
        let changes = ChangeCount()
    }

    /// The requests from each window, by the window's process; nil is the key for all other programs.
    private let pages = Mutex<[ProcessTable.Name?: Page]>([:])

    init() {}

    /// Records a waiting page. The record lasts until the returned function is called. Returns nil if too many pages
    /// are waiting.
    ///
    /// - Parameter window: the process of the window that the page is in; nil if it is in none.
    func enter(_ window: ProcessTable.Name?) -> (@Sendable () -> Void)? {
        let page = page(in: window)
        let isAllowed = page.requests.withLock { requests in
            guard requests.waiting < Self.maximum else { return false }
            requests.waiting += 1
            requests.total += 1
            return true
        }
        guard isAllowed else { return nil }
        page.changes.advance()
        return {
            page.requests.withLock { $0.waiting -= 1 }
            page.changes.advance()
        }
    }

    private func page(in window: ProcessTable.Name?) -> Page {
        pages.withLock { pages in
            let page = pages[window] ?? Page()
            pages[window] = page
            return page
        }
    }

    /// Suspends until a window has had no open page for the duration `patience`, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - window: the process of the window.
    ///   - start: how long the first page in the window may take to open.
    package func awaitLoss(in window: ProcessTable.Name, start: Duration, patience: Duration) async {
        let page = page(in: window)
        defer { pages.withLock { $0[window] = nil } }
        while !Task.isCancelled {
            let seen = page.changes.value
            let (isOpen, isNew) = page.requests.withLock { ($0.waiting > 0, $0.total > 0) }
            if isOpen {
                await page.changes.beyond(seen)
            } else if await !isChanged(page.changes, beyond: seen, within: isNew ? patience : start) {
                return
            }
        }
    }

    private func isChanged(_ changes: ChangeCount, beyond seen: UInt64, within limit: Duration) async -> Bool {
        await withTaskGroup { group in
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
