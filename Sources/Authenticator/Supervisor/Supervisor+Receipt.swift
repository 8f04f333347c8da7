// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Logging

extension Supervisor {
    /// Writes down what became of every trace, before the device is ready. After a crash it is asked again for the same
    /// ended epoch.
    func writeReceipt(_ handover: Handover) throws {
        try receipts.write(handover, join: join)
        // Everything of the worker is gone by now. A copy of the state that does not know this receipt is an older one.
        try epochCount?.advance()
        tellWatch()
    }

    /// Keeps in mind what a receipt will say, after the action is done.
    func noteForReceipt(_ action: SessionMachine.Action) throws {
        switch action {
        case .journal(.signingIn(let epoch)): try receipts.begin(epoch)
        case .journal(.signingOut(let commit)): receipts.commit(commit.ended)
        case .endSessionProcess:
            // Of a session that began under another supervisor a process may have died unseen.
            let isSeen = machine.state.pending.map { receipts.hasSeen($0.ended) } ?? false
            receipts.mark(ItemOutcome.sessionProcess.name, isObserved: isSeen)
            // The key is gone and the process is dead: now there is time for the disk.
            try receipts.keepDraft()
            Failpoint.receiptCommitKept.reach()
        default: break
        }
    }

    func noteForReceipt(_ event: SessionMachine.Event) {
        guard case .signingOut(let pending) = machine.state else { return }
        switch event {
        case .itemCleared(.files, pending.ended): receipts.mark(ItemOutcome.files.name, isObserved: true)
        case .itemCleared(.browser, pending.ended):
            let isSeen = browserObservation?.epoch == pending.ended && browserObservation?.isEndObserved == true
            receipts.mark(ItemOutcome.browser.name, isObserved: isSeen)
        case .appAnswered(let app, let hasErased, pending.ended):
            receipts.mark(ItemOutcome.app(app, hasErased ? .done : .failed).name)
        default: break
        }
    }
}
