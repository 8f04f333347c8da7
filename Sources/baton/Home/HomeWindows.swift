// SPDX-License-Identifier: Apache-2.0
import HomeScreen
import Logging
import Processes

/// Keeps one window of the home screen open until the person closes it.
///
/// A window ends at the end of the session during which it was open, when its browser crashes, or when its page dies.
/// Every window that was opened from it ends with it, so the next worker finds nothing that somebody opened. Then a new
/// window opens. After a session, the process starts anew and opens the new window.
actor HomeWindows {
    private let window: HomeWindow
    private let logger: Logger
    private var current: OpenWindow?
    /// The window that is being started.
    private var opening: Task<OpenWindow, any Error>?
    /// Advances when the session has ended.
    private let handover = ChangeCount()
    private var isSessionOver: Bool { handover.value > 0 }

    /// How long a browser may take to open the page, and how long a window may be without a living page. The page waits
    /// a second between two attempts to reach this program.
    private static let (start, patience) = (Duration.seconds(60), Duration.seconds(5))
    /// The pause before the next window grows with each failure, so that a page that always crashes at once does not
    /// keep the processor busy.
    private static let (firstPause, lastPause) = (Duration.seconds(1), Duration.seconds(60))
    /// A window that lived this long did not fail at once.
    private static let steady = Duration.seconds(60)

    init(_ window: HomeWindow, logger: Logger) { (self.window, self.logger) = (window, logger) }

    /// Opens windows until the person closes one, or until the task is cancelled.
    ///
    /// - Throws: ``ProcessFailure``, ``FileError`` if no window can be started; ``CommandFailure`` if no window may open
    ///   any more.
    func show(_ address: String, _ presence: PagePresence) async throws {
        var pause = Duration.zero
        while !Task.isCancelled {
            let starting = Task { [window] in OpenWindow(try await blocking { try window.open(address) }) }
            opening = starting
            let opened = try await starting.value
            (opening, current) = (nil, opened)
            // The session may have ended while the window was started.
            if isSessionOver { await opened.end(.handover) }
            let began = ContinuousClock.now
            let ending = try await opened.ending(presence, start: Self.start, patience: Self.patience)
            current = nil
            switch ending {
            case .closed, .cancelled: return
            case .handover: break
            case .pageLost, .crashed:
                if case .crashed = ending { try await window.check() }
                if began.duration(to: .now) >= Self.steady { pause = .zero }
                logger.warning(
                    "the window of the home screen opens anew",
                    metadata: ["cause": "\(ending)", "pause": "\(pause)"])
                await wait(pause)
                pause = min(max(pause * 2, Self.firstPause), Self.lastPause)
            }
            // This process is about to start anew, so it opens no further window.
            if isSessionOver { await handover.beyond(.max) }
        }
    }

    /// Ends the open window, and returns when its process has ended. No further window opens.
    func endForHandover() async {
        handover.advance()
        await (try? opening?.value)?.end(.handover)
        await current?.end(.handover)
    }

    private func wait(_ pause: Duration) async {
        await withTaskGroup { [handover] group in
            group.addTask { await handover.beyond(0) }
            group.addTask { try? await Task.sleep(for: pause) }
            await group.next()
            group.cancelAll()
        }
    }
}
