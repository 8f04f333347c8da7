// SPDX-License-Identifier: Apache-2.0
internal import Files

/// The start pages that wait until the extension of the running browser is ready.
struct WaitingPages {
    private enum State {
        /// No browser runs, or its extension was not ready in time.
        case none
        case waiting(wait: Int)
        /// The extension of the browser with this number is ready.
        case settled(browser: Int)
    }

    private var state = State.none
    /// The numbers of the processes whose extension is ready.
    private var ready: Set<Int> = []
    private var pages: [(StartPage, to: String)] = []
    private static let maximum = 32

    /// Whether the next page must wait for an extension.
    var mustWait: Bool {
        guard case .settled = state else { return true }
        return false
    }

    /// Whether this wait is the newest wait and has not ended.
    func isWaiting(_ wait: Int) -> Bool {
        guard case .waiting(wait) = state else { return false }
        return true
    }

    /// Whether the extension that is ready belongs to this browser.
    func isServed(by browser: Int) -> Bool {
        guard case .settled(browser) = state else { return false }
        return true
    }

    /// Records that the extension of this browser is ready.
    mutating func note(_ browser: Int) { ready.insert(browser) }

    /// Whether the extension of this browser has been reported ready.
    func isReady(_ browser: Int) -> Bool { ready.contains(browser) }

    /// Begins a wait for an extension. It replaces an earlier wait.
    mutating func begin(_ wait: Int) { state = .waiting(wait: wait) }

    /// Returns the content for a new page.
    func content(leadingTo address: String) -> StartPage.Content {
        guard case .waiting = state else { return .leads(to: address) }
        return .waits
    }

    /// Adds a page if pages must wait at the moment.
    ///
    /// - Returns: false if too many pages wait already.
    mutating func add(_ page: StartPage, to address: String) -> Bool {
        guard case .waiting = state else { return true }
        guard pages.count < Self.maximum else { return false }
        pages.append((page, to: address))
        return true
    }

    /// Redirects the waiting pages to their addresses.
    ///
    /// - Parameter browser: the browser whose extension is ready; nil if none was ready in time.
    /// - Throws: ``FileError`` if a page cannot be written; the others are still redirected.
    mutating func settle(by browser: Int?) throws(FileError) {
        let outcomes = pages.map { page, address in
            Result { () throws(FileError) in try page.replace(with: .leads(to: address)) }
        }
        (state, pages) = (browser.map { .settled(browser: $0) } ?? .none, [])
        for outcome in outcomes { try outcome.get() }
    }
}
