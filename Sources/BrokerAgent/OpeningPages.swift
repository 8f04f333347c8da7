// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC

/// The worker's pages that the browser does not show yet. Decides when each is shown, and when it will not be.
///
/// The browser's first process shows its page itself, as soon as its extension serves. A later process passes its page
/// to the browser that runs and exits with 0. If it finds none, because the browser was just closed, it becomes the
/// browser, and then the rule for a first process applies.
struct OpeningPages: Sendable, Equatable {
    private struct Page: Equatable {
        let id: UInt64
        let process: Int32
        /// Whether the process has exited with 0 while another one ran.
        var isPassedOn = false
    }

    private var pages: [Page] = []
    /// The process whose extension serves; nil if none is known to.
    private var serving: Int32?

    /// Records the process that was started for an order. Orders for other pages are ignored.
    mutating func started(_ id: UInt64, as process: Int32) {
        if AgentOrder.isPage(id) { pages.append(Page(id: id, process: process)) }
    }

    /// Handles the extension of this process: it serves.
    mutating func serves(_ process: Int32) -> [AgentMessage] {
        serving = process
        return shown()
    }

    /// Handles an extension that has not started in time.
    mutating func silent() -> [AgentMessage] {
        fail(
            .browserSilent,
            message: "The browser's extension did not start in time; whether the page is shown is not known."
        ) { _ in true }
    }

    /// Handles the end of a process.
    ///
    /// - Parameters:
    ///   - isDone: whether it exited with 0.
    ///   - isLast: whether no other browser process runs.
    mutating func ended(_ process: Int32, isDone: Bool, isLast: Bool) -> [AgentMessage] {
        if serving == process { serving = nil }
        guard isDone, !isLast else {
            // If a process fails before an extension serves, it may be the one that has the other processes' pages.
            return fail(.browserEnded, message: "The browser ended before it showed the page.") {
                isLast || $0.isPassedOn || $0.process == process
            }
        }
        for index in pages.indices where pages[index].process == process { pages[index].isPassedOn = true }
        return shown()
    }

    private mutating func shown() -> [AgentMessage] {
        guard let serving else { return [] }
        let shown = pages.filter { $0.isPassedOn || $0.process == serving }
        pages.removeAll { $0.isPassedOn || $0.process == serving }
        return shown.map { .shown(id: $0.id) }
    }

    private mutating func fail(
        _ code: AgentFailure.Code, message: String, where fails: (Page) -> Bool
    ) -> [AgentMessage] {
        let failed = pages.filter(fails)
        pages.removeAll(where: fails)
        return failed.map { .failed(id: $0.id, code: code.rawValue, message: message) }
    }
}
