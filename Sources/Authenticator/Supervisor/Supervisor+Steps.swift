// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol

/// Hands events to the session machine, one after the other, and carries out what follows.
extension Supervisor {
    /// What the queue holds.
    enum Work {
        /// What follows from the journal at the start.
        case recovery(SessionMachine.RecoveryOutcome)
        case event(SessionMachine.Event)
    }

    /// Handles an event and everything that follows from it. During the steps of another event it waits until all of them
    /// are done.
    func handle(_ event: SessionMachine.Event) throws { try add(.event(event)) }

    func add(_ work: Work) throws {
        try self.work.add(work) { work in
            switch work {
            case .recovery(let outcome): try perform(outcome)
            case .event(let event):
                try follow(event)
                tellStage()
                try followSessionTimer()
            }
        }
    }

    private func follow(_ event: SessionMachine.Event) throws {
        let newID = Epoch.ID.random()
        switch event {
        case .signInRequested(let requestID):
            switch machine.signInRequested(requestID, newID: newID) {
            case .admitted(let steps): try perform(steps)
            case .waiting: break
            case .refused(let refused): refuse(refused)
            }
        case .signInTimedOut(let requestID, let refusal): machine.signInTimedOut(requestID, refusal).map(refuse)
        case .browserWanted(let url):
            guard let epoch = machine.browserWanted() else { break }
            try openBrowser(epoch, url)
            Failpoint.browserOrdered.reach()
        case .signInSucceeded: try perform(machine.signInSucceeded())
        case .signInFailed: try perform(machine.signInFailed(newID: newID))
        case .endWanted(let requester, let trigger):
            switch machine.endWanted(by: requester, trigger, newID: newID) {
            case .alreadyReady(let requesters): answer(requesters)
            case .announced(let epoch): announceEnd(of: epoch)
            case .waiting: break
            case .committed(let steps): try perform(steps)
            }
        case .listenerArrived(let epoch): machine.listenerArrived(epoch)
        case .appEnlisted(let app, let epoch):
            guard let enlistment = machine.appEnlisted(app, epoch) else { break }
            try journal(.signedIn(enlistment.epoch, apps: enlistment.apps))
            Failpoint.signedInJournaled.reach()
        case .graceExpired(let epoch): try perform(machine.graceExpired(epoch, newID: newID))
        case .appAnswered(let app, let hasErased, let ended):
            guard let outcome = machine.appAnswered(app, hasErased: hasErased, of: ended, newID: newID) else { break }
            receipts.mark(ItemOutcome.app(app, hasErased ? .done : .failed).name)
            try commit(outcome.commit)
            try perform(outcome.completion)
        case .appsOverdue(let ended): try perform(machine.appsOverdue(ended, newID: newID))
        case .itemCleared(let item, let ended):
            if machine.state.pending?.ended == ended { markCleared(item, of: ended) }
            try perform(machine.itemCleared(item, of: ended, newID: newID))
        case .sessionProcessDied:
            switch machine.sessionProcessDied(newID: newID) {
            case .restart(let epoch): try restartSessionProcess(epoch)
            case .resume(let epoch): try startSessionProcess(epoch, resuming: true)
            case .committed(let steps): try perform(steps)
            }
        case .agentArrived: machine.agentArrived().map(closeBrowser)
        }
    }

    private func perform(_ outcome: SessionMachine.RecoveryOutcome) throws {
        switch outcome {
        case .signingOut(let steps): try perform(steps)
        case .started(let steps):
            for step in steps {
                switch step {
                case .journal(let epoch): try journalReady(epoch)
                case .startSessionProcess(let epoch, let resuming): try startSessionProcess(epoch, resuming: resuming)
                }
            }
        }
    }

    private func perform(_ steps: [SessionMachine.AdmissionStep]) throws {
        // Whoever watches hears of a change before it begins, and of its end afterwards.
        tellStage()
        for step in steps {
            switch step {
            case .journal(let epoch):
                try journal(.signingIn(epoch))
                try receipts.begin(epoch)
                Failpoint.signInJournaled.reach()
            case .makeKey:
                key = try MemoryKey()
                Failpoint.keyMade.reach()
            case .admit(let requestID, let epoch):
                try admit(requestID, epoch)
                Failpoint.admitted.reach()
            }
        }
    }

    private func perform(_ steps: [SessionMachine.ConfirmationStep]) throws {
        for step in steps {
            switch step {
            case .journal(let epoch):
                try journal(.signedIn(epoch, apps: []))
                Failpoint.signedInJournaled.reach()
            case .confirm(let requestID):
                tell(.confirm(requestID: requestID.number))
                Failpoint.confirmed.reach()
            }
        }
    }

    private func perform(_ steps: [SessionMachine.SignOutStep]) throws {
        tellStage()
        for step in steps {
            switch step {
            case .journal(let commit): try self.commit(commit)
            case .destroyKey:
                receipts.mark(ItemOutcome.sessionKey.name, isObserved: destroyKey())
                Failpoint.keyDestroyed.reach()
            case .endSessionProcess: try endSessionProcessForGood()
            case .startSessionProcess(let epoch): try startSessionProcess(epoch, resuming: false)
            case .closeBrowser(let epoch): closeBrowser(epoch)
            case .clearFiles(let epoch): try clearFiles(of: epoch)
            case .awaitApps(let ended): awaitApps(of: ended)
            }
        }
    }

    private func perform(_ steps: [SessionMachine.CompletionStep]) throws {
        for step in steps {
            switch step {
            case .lockApps(let apps, let ended): try lock(apps, until: ended)
            case .writeReceipt(let handover):
                try writeReceipt(handover)
                Failpoint.receiptWritten.reach()
            case .journal(let epoch): try journalReady(epoch)
            case .answer(let requesters): answer(requesters)
            case .admit(let steps): try perform(steps)
            }
        }
    }

    private func journalReady(_ epoch: Epoch) throws {
        try journal(.ready(epoch))
        Failpoint.readyJournaled.reach()
    }

    private func commit(_ commit: Commit) throws {
        try journal(.signingOut(commit))
        receipts.commit(commit.ended)
        Failpoint.endJournaled.reach()
    }

    /// Ends the process of an epoch that has ended.
    private func endSessionProcessForGood() throws {
        try endSessionProcess()
        failJoin(
            OperatorFailure(
                code: "join_interrupted", message: "Somebody ended what was going on at the device.",
                remedy: "Join again."))
        // Of a session that began under another supervisor a process may have died unseen.
        let isSeen = machine.state.pending.map { receipts.hasSeen($0.ended) } ?? false
        receipts.mark(ItemOutcome.sessionProcess.name, isObserved: isSeen)
        // The key is gone and the process is dead: now there is time for the disk.
        try receipts.keepDraft()
        Failpoint.receiptCommitKept.reach()
        Failpoint.processEnded.reach()
    }

    private func markCleared(_ item: SessionMachine.Item, of ended: Epoch) {
        switch item {
        case .files: receipts.mark(ItemOutcome.files.name, isObserved: true)
        case .browser:
            let isSeen = browserObservation?.epoch == ended && browserObservation?.isEndObserved == true
            receipts.mark(ItemOutcome.browser.name, isObserved: isSeen)
        }
    }
}
