// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Glibc
internal import Processes
internal import UnixSocket

/// Waits for the file that `baton-browser-host` creates once the browser's extension knows its addresses. A page that
/// opens earlier is not signed in.
struct ExtensionReadiness: Sendable {
    private let file: String
    private let events: Descriptor

    /// Milliseconds that the extension may take. A page that waits so long opens without it.
    private static let patience: Int32 = 10_000

    /// Begins to watch the file's folder (inotify(7)).
    ///
    /// - Parameter isNew: whether a browser is about to start. An existing file then belongs to an earlier browser and
    ///   is removed.
    /// - Throws: ``FileError``.
    init(file: String, isNew: Bool) throws(FileError) {
        self.file = file
        let number = inotify_init1(Int32(IN_CLOEXEC))
        guard number >= 0 else { throw FileError(.open, errno: errno, path: file) }
        events = Descriptor(owning: number)
        if isNew { _ = try AtomicFile(path: file).remove() }
        let folder = file.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        guard unsafe inotify_add_watch(number, folder, UInt32(IN_MOVED_TO | IN_CREATE)) >= 0 else {
            throw FileError(.open, errno: errno, path: folder)
        }
    }

    /// Blocks until the file exists.
    ///
    /// - Returns: false if it does not exist after ten seconds.
    func wait() -> Bool {
        let deadline = ContinuousClock.now + .milliseconds(Int(Self.patience))
        while unsafe access(file, F_OK) != 0 {
            let rest = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            guard rest > 0, events.isReadable(within: Int32(rest) + 1) else { return false }
            var bytes = [UInt8](repeating: 0, count: 4096)
            _ = events.withNumber { unsafe read($0, &bytes, bytes.count) }
        }
        return true
    }
}

/// The worker's pages that wait until the extension of the running browser is ready.
struct WaitingPages {
    private enum State {
        /// No browser runs, or its extension was not ready in time.
        case none
        case waiting(browser: Int)
        case settled
    }

    private var state = State.none
    private var pages: [(StartPage, to: String)] = []
    private static let maximum = 32

    /// Whether the next page must begin to wait.
    var isIdle: Bool {
        guard case .none = state else { return false }
        return true
    }

    /// Begins to wait for the extension of a browser that starts.
    mutating func begin(_ browser: Int) { (state, pages) = (.waiting(browser: browser), []) }

    /// Returns the content for a new page.
    func content(leadingTo address: String) -> StartPage.Content {
        guard case .waiting = state else { return .leads(to: address) }
        return .waits
    }

    /// Adds a page that waits. If too many wait already, the page is not added and waits until the person closes it.
    mutating func add(_ page: StartPage, to address: String) {
        guard case .waiting = state, pages.count < Self.maximum else { return }
        pages.append((page, to: address))
    }

    /// Redirects the waiting pages to their addresses. Does nothing for an earlier browser.
    ///
    /// - Throws: ``FileError`` if a page cannot be written; the others are still redirected.
    mutating func settled(_ browser: Int, isReady: Bool) throws(FileError) {
        guard case .waiting(browser) = state else { return }
        let outcomes = pages.map { page, address in
            Result { () throws(FileError) in try page.replace(with: .leads(to: address)) }
        }
        (state, pages) = (isReady ? .settled : .none, [])
        for outcome in outcomes { try outcome.get() }
    }
}
