// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Receipts

/// What an agent saw of one epoch's browsers at each ``BrowserExamination/Moment``: what the browsers held open, and
/// whether the files that they read were the ones that the agent wrote.
struct BrowserExaminations: Equatable {
    private var epoch: Epoch?
    private var found: Set<OpenResource> = []
    private var compared = ComparedFiles()
    /// Whether the agent writes files for its browsers.
    private var hasFiles = true
    /// Whether an examination may have missed something that a browser held open.
    private var isIncomplete = false
    /// Whether a report is missing or no agent was connected for some time.
    private var isInterrupted = false
    /// Whether the worker's browser has been opened but has not been examined yet.
    private var owesFirst = false
    /// Whether the agent has not reported yet what it saw before it ended the browsers.
    private var owesLast = true
    /// Whether the end of the browsers waits for the agent's report.
    private var isAwaited = false
    private var hasWaited = false

    /// How long the browsers' end waits for an agent's report.
    static let patience = Duration.seconds(2)

    /// Begins the record of an epoch, unless that record has already begun.
    mutating func begin(_ epoch: Epoch) {
        if self.epoch != epoch { self = BrowserExaminations(epoch: epoch) }
    }

    /// - Parameter earlier: the epoch whose browsers an earlier supervisor opened.
    init(earlier: Epoch?) { (epoch, isInterrupted) = (earlier, true) }

    private init(epoch: Epoch) { self.epoch = epoch }

    /// Records that the worker's browser was started.
    mutating func opened() { owesFirst = true }

    /// Records that the browsers of an epoch must end, but only after the agent has reported what it saw. If an earlier
    /// supervisor opened them, something may have escaped the examinations.
    ///
    /// - Returns: false if their end has already waited for a report. It waits only once.
    mutating func awaitLast(of ended: Epoch) -> Bool {
        if epoch != ended {
            self = BrowserExaminations(epoch: ended)
            isInterrupted = true
        }
        isAwaited = !hasWaited
        hasWaited = true
        return isAwaited
    }

    /// Records a report.
    ///
    /// - Returns: whether the end of the browsers has waited for this report.
    mutating func add(_ examination: BrowserExamination, of id: Epoch.ID) -> Bool {
        guard epoch?.id == id else { return false }
        for resource in examination.found where found.count < BrowserExamination.maximum { found.insert(resource) }
        if !examination.isComplete { isIncomplete = true }
        if let files = examination.files {
            compared.changed.formUnion(files.changed)
            compared.unread.formUnion(files.unread)
        } else {
            hasFiles = false
        }
        switch examination.moment {
        case .started: owesFirst = false
        case .signInOver: break
        case .ending:
            owesLast = false
            defer { isAwaited = false }
            return isAwaited
        }
        return false
    }

    /// Handles the end of the time in which the agent must report.
    ///
    /// - Returns: whether the end of this epoch's browsers was still waiting for the report.
    mutating func overdue(_ ended: Epoch) -> Bool {
        guard epoch == ended, isAwaited else { return false }
        agentLost()
        return true
    }

    /// Records that the agent will not report.
    mutating func agentLost() { (isInterrupted, isAwaited) = (true, false) }

    /// The receipt's items about the files that this epoch's browsers read; empty if the agent writes no such files.
    func files(of ended: Epoch) -> [ItemOutcome] {
        guard epoch == ended else { return BrowserFiles.allCases.map { .files($0, .unanswered) } }
        guard hasFiles else { return [] }
        return BrowserFiles.allCases.map { files in
            if compared.changed.contains(files) { return .files(files, .failed) }
            let isKnown = !isInterrupted && !owesLast && !compared.unread.contains(files)
            return .files(files, isKnown ? .done : .unanswered)
        }
    }

    /// The names of the resources that the browsers of this epoch held open, for the receipt.
    func finding(of ended: Epoch) -> Finding<[String]> {
        guard epoch == ended else { return .unknown }
        guard found.isEmpty else { return .known(found.map(\.name).sorted()) }
        return isIncomplete || isInterrupted || owesFirst || owesLast ? .unknown : .none
    }
}

extension ItemOutcome {
    /// The receipt's item about one kind of files that the agent wrote for its browsers: `done` if none was changed.
    fileprivate static func files(_ files: BrowserFiles, _ result: Result) -> ItemOutcome {
        ItemOutcome(name: files.rawValue, grade: .reported, observer: .agent, result: result)
    }
}
