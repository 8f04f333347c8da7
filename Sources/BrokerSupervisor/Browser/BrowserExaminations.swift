// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Receipts

/// What an agent saw that the browsers of one epoch hold open, at the moments of ``BrowserExamination/Moment``.
struct BrowserExaminations: Equatable {
    private var epoch: Epoch?
    private var found: Set<OpenResource> = []
    /// Whether something may have escaped the examinations.
    private var isIncomplete = false
    /// Whether the worker's browser has been opened and not examined yet.
    private var owesFirst = false
    /// Whether the agent has not reported yet what it saw before it ended the browsers.
    private var owesLast = true
    /// Whether the end of the browsers waits for the agent's report.
    private var isAwaited = false
    private var hasWaited = false

    /// How long the browsers' end waits for an agent's report.
    static let patience = Duration.seconds(2)

    /// Begins an epoch, unless it has begun.
    mutating func begin(_ epoch: Epoch) {
        if self.epoch != epoch { self = BrowserExaminations(epoch: epoch) }
    }

    /// - Parameter earlier: the epoch whose browsers an earlier supervisor opened.
    init(earlier: Epoch?) { (epoch, isIncomplete) = (earlier, true) }

    private init(epoch: Epoch) { self.epoch = epoch }

    /// Records that the worker's browser was started.
    mutating func opened() { owesFirst = true }

    /// Records that the browsers of an epoch must end, and that their end waits for the agent's report. If an earlier
    /// supervisor opened them, something may have escaped.
    ///
    /// - Returns: false if their end has waited already. It waits once.
    mutating func awaitLast(of ended: Epoch) -> Bool {
        if epoch != ended {
            self = BrowserExaminations(epoch: ended)
            isIncomplete = true
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
    /// - Returns: whether the end of this epoch's browsers still waited.
    mutating func overdue(_ ended: Epoch) -> Bool {
        guard epoch == ended, isAwaited else { return false }
        agentLost()
        return true
    }

    /// Records that the agent will not report.
    mutating func agentLost() { (isIncomplete, isAwaited) = (true, false) }

    /// What the receipt of this epoch says.
    func finding(of ended: Epoch) -> Finding<[String]> {
        guard epoch == ended else { return .unknown }
        guard found.isEmpty else { return .known(found.map(\.name).sorted()) }
        return isIncomplete || owesFirst || owesLast ? .unknown : .none
    }
}
