// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC

/// The worker's pages that the browser does not show yet. Determines when each page is shown, and when a page can no
/// longer be shown.
///
/// The browser's first process shows the page of its own order, as soon as the extension is ready. A later process
/// passes its page to the running browser and exits with 0. If a later process finds no running browser, because the
/// browser was just closed, it becomes the browser, and the rule for a first process applies to it.
struct OpeningPages: Sendable, Equatable {
    private struct Page: Equatable {
        let id: UInt64
        let process: Int
        /// Whether the process exited with 0 while another browser process ran.
        var isPassedOn = false
    }

    private var pages: [Page] = []
    /// The process whose extension is ready; nil if no such process is known.
    private var serving: Int?

    /// Records the process that was started for an order. Orders that are not for a worker's page are ignored.
    mutating func started(_ id: UInt64, as process: Int) {
        if AgentOrder.isPage(id) { pages.append(Page(id: id, process: process)) }
    }

    /// Records that the extension of this process is ready. Returns the messages about the pages that are now shown.
    mutating func serves(_ process: Int) -> [AgentMessage] {
        serving = process
        return shown()
    }

    /// Handles the case where no extension was ready in time. Returns the messages about the pages.
    mutating func silent() -> [AgentMessage] {
        fail(
            .browserSilent,
            message: "The browser's extension did not start in time; whether the page is shown is not known."
        ) { _ in true }
    }

    /// Handles the end of a process. Returns the messages about the pages that are now shown or can no longer be shown.
    ///
    /// - Parameters:
    ///   - isDone: whether the process exited with 0.
    ///   - isLast: whether no other browser process runs.
    mutating func ended(_ process: Int, isDone: Bool, isLast: Bool) -> [AgentMessage] {
        if serving == process { serving = nil }
        guard isDone, !isLast else {
            // Before an extension is ready, a process that fails may be the browser that received the other processes'
            // pages. Those pages then fail as well.
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
