// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import DeviceSettings
package import SessionIPC

/// Tracks who holds the device, as a pure state machine. Each event is a method that returns the steps for the
/// supervisor.
///
/// Rules: no session begins before the traces of the last session are gone; an epoch's number is never reused; what is
/// committed to the journal is completed, even if processes die before that.
///
/// An event that may begin an epoch takes the random id of that epoch: `newID`.
package struct SessionMachine: Sendable, Equatable {
    package private(set) var state: State
    /// The epoch that app connections belong to; the connections end when the epoch changes.
    package private(set) var epoch: Epoch
    /// The locked apps with folders of data. The data that they have from an earlier session must still be taken away.
    package var owingApps: Set<String> = []
    /// The apps with at least one process that has not erased the data and that the agent could end.
    package var lingeringApps: Set<String> = []

    /// Restores the machine from the journal, or begins the first epoch of a new device if there is no journal.
    ///
    /// A session or sign-in that had not ended is over now, because its key was lost with the supervisor. The only
    /// exception is a session whose key the service manager kept: such a session continues.
    ///
    /// - Parameter keyKept: whether the key of the journal's epoch was kept.
    package static func recover(
        from record: JournalRecord?, keyKept: Bool, newID: Epoch.ID
    ) -> (SessionMachine, RecoveryOutcome) {
        switch record {
        case .signedIn(let epoch, let erasers, let dataHolders) where keyKept:
            // The browser's processes ended with the supervisor; the browser's profile may still exist.
            let session = ActiveSession(epoch: epoch, usedBrowser: true, erasers: erasers, dataHolders: dataHolders)
            let machine = SessionMachine(state: .signedIn(session), epoch: epoch)
            return (machine, .started([.startSessionProcess(epoch, resuming: true)]))
        case nil:
            let first = Epoch(id: newID, counter: 1)
            let machine = SessionMachine(state: .ready, epoch: first)
            return (machine, .started([.journal(first), .startSessionProcess(first, resuming: false)]))
        case .ready(let epoch):
            let machine = SessionMachine(state: .ready, epoch: epoch)
            return (machine, .started([.startSessionProcess(epoch, resuming: false)]))
        case .signingIn(let epoch):
            return lost(ActiveSession(epoch: epoch, usedBrowser: true), isAttempt: true, newID: newID)
        case .signedIn(let epoch, let erasers, let dataHolders):
            return lost(
                ActiveSession(epoch: epoch, usedBrowser: true, erasers: erasers, dataHolders: dataHolders),
                isAttempt: false,
                newID: newID)
        case .signingOut(let commit):
            var machine = SessionMachine(state: .ready, epoch: commit.next)
            let steps = machine.clear(commit, usedBrowser: true, answering: [])
            return (machine, .signingOut(steps))
        }
    }

    /// Ends the session or sign-in that had not ended when the supervisor died.
    private static func lost(
        _ session: ActiveSession, isAttempt: Bool, newID: Epoch.ID
    ) -> (SessionMachine, RecoveryOutcome) {
        var machine = SessionMachine(state: .ready, epoch: session.epoch)
        let steps = machine.commit(session, isAttempt: isAttempt, by: .supervisorLost, answering: [], newID: newID)
        return (machine, .signingOut(steps))
    }
}

// MARK: - Sign-in

extension SessionMachine {
    /// Handles a request to begin a sign-in.
    package mutating func signInRequested(_ requestID: SignInRequestID, newID: Epoch.ID) -> SignInRequestOutcome {
        switch state {
        case .ready: return .admitted(admit(requestID, newID: newID))
        case .signingOut(var pending) where pending.waiting == nil:
            pending.waiting = requestID
            state = .signingOut(pending)
            return .waiting
        case .signingIn, .signingOut: return .refused(RefusedSignIn(requestID: requestID, refusal: .anotherSignIn))
        case .signedIn, .ending: return .refused(RefusedSignIn(requestID: requestID, refusal: .occupied))
        }
    }

    private mutating func admit(_ requestID: SignInRequestID, newID: Epoch.ID) -> [AdmissionStep] {
        let next = Epoch(id: newID, counter: epoch.counter + 1)
        state = .signingIn(ActiveSession(epoch: next, usedBrowser: false), requestID)
        return [.journal(next), .makeKey, .admit(requestID, next)]
    }

    /// Gives up a sign-in that has waited too long for the end of a sign-out.
    package mutating func signInTimedOut(_ requestID: SignInRequestID, _ refusal: SignInRefusal) -> RefusedSignIn? {
        guard case .signingOut(var pending) = state, pending.waiting == requestID else { return nil }
        pending.waiting = nil
        state = .signingOut(pending)
        return RefusedSignIn(requestID: requestID, refusal: refusal)
    }

    /// Handles a request to open a page in the browser.
    ///
    /// - Returns: the epoch in whose browser the page opens; nil if no browser may open now.
    package mutating func browserWanted() -> Epoch? {
        switch state {
        case .signingIn(var session, let requestID):
            session.usedBrowser = true
            state = .signingIn(session, requestID)
            return session.epoch
        case .signedIn(var session):
            session.usedBrowser = true
            state = .signedIn(session)
            return session.epoch
        case .ready, .ending, .signingOut: return nil
        }
    }

    /// Turns the current sign-in into the session, after the worker has authenticated.
    package mutating func signInSucceeded() -> [ConfirmationStep] {
        guard case .signingIn(let session, let requestID) = state, requestID.purpose == .worker else { return [] }
        state = .signedIn(session)
        epoch = session.epoch
        return [.journal(session.epoch), .confirm(requestID)]
    }

    /// Ends a sign-in that failed.
    package mutating func signInFailed(newID: Epoch.ID) -> [SignOutStep] {
        guard case .signingIn = state else { return [] }
        return end(by: .attemptFailed, answering: [], newID: newID)
    }
}

// MARK: - Sign-out

extension SessionMachine {
    /// Handles a request to end the current session or sign-in.
    package mutating func endWanted(
        by requester: Requester, _ trigger: SignOutTrigger, newID: Epoch.ID
    ) -> EndOutcome {
        switch state {
        case .ready: return .alreadyReady([requester])
        case .signedIn(let session) where trigger.isGraceful && session.hasListeners:
            state = .ending(session, Ending(trigger: trigger, requesters: [requester]))
            return .announced(session.epoch)
        case .ending(let session, var ending) where trigger.isGraceful:
            ending.requesters.append(requester)
            state = .ending(session, ending)
            return .waiting
        case .signingIn, .signedIn, .ending:
            return .committed(end(by: trigger, answering: [requester], newID: newID))
        case .signingOut(var pending):
            pending.requesters.append(requester)
            state = .signingOut(pending)
            return .waiting
        }
    }

    /// Commits an announced end: every app that was notified has saved its work, or the grace period is over.
    package mutating func graceExpired(_ announced: Epoch, newID: Epoch.ID) -> [SignOutStep] {
        guard case .ending(let session, let ending) = state, session.epoch == announced else { return [] }
        return end(by: ending.trigger, answering: [], newID: newID)
    }

    /// Commits the end of the session or sign-in, and begins the clean-up.
    private mutating func end(
        by trigger: SignOutTrigger, answering requesters: [Requester], newID: Epoch.ID
    ) -> [SignOutStep] {
        switch state {
        case .signingIn(let session, _):
            commit(session, isAttempt: true, by: trigger, answering: requesters, newID: newID)
        case .signedIn(let session):
            commit(session, isAttempt: false, by: trigger, answering: requesters, newID: newID)
        case .ending(let session, let ending):
            commit(
                session, isAttempt: false, by: trigger, answering: ending.requesters + requesters, newID: newID)
        case .ready, .signingOut: []
        }
    }

    private mutating func commit(
        _ session: ActiveSession, isAttempt: Bool, by trigger: SignOutTrigger, answering requesters: [Requester],
        newID: Epoch.ID
    ) -> [SignOutStep] {
        epoch = Epoch(id: newID, counter: session.epoch.counter + 1)
        let erasers = Dictionary(uniqueKeysWithValues: session.erasers.map { ($0, Commit.Answer.awaited) })
        let commit = Commit(
            ended: session.epoch, next: epoch, trigger: trigger, isAttempt: isAttempt, erasers: erasers,
            dataHolders: session.dataHolders)
        return [.journal(commit)] + clear(commit, usedBrowser: session.usedBrowser, answering: requesters)
    }

    /// Returns the steps of the clean-up after a commit, or after a restart that resumes a committed sign-out.
    private mutating func clear(
        _ commit: Commit, usedBrowser: Bool, answering requesters: [Requester]
    ) -> [SignOutStep] {
        state = .signingOut(
            PendingSignOut(
                commit: commit, usedBrowser: usedBrowser, items: usedBrowser ? [.browser, .files] : [.files],
                requesters: requesters, waiting: nil))
        return [.destroyKey, .endSessionProcess, .startSessionProcess(epoch)]
            + (usedBrowser ? [.closeBrowser(commit.ended)] : []) + [.clearFiles(commit.ended)]
            + (commit.erasers.values.contains(.awaited) ? [.awaitApps(commit.ended)] : [])
    }

    /// Records that a trace of an ended epoch is gone.
    package mutating func itemCleared(_ item: Item, of ended: Epoch, newID: Epoch.ID) -> [CompletionStep] {
        guard case .signingOut(var pending) = state, pending.ended == ended else { return [] }
        pending.items.remove(item)
        return complete(pending, newID: newID)
    }

    /// Makes the device ready once three conditions hold. First, the browser and the files are cleared. Second, every
    /// eraser has answered or its processes have all ended, or the apps' time is over. Third, the agent has answered
    /// about the data of apps that have not erased it.
    ///
    /// The order to take that data away is sent after the agent has cleared the browser, not earlier. After a restart
    /// of the machine, the device waits for the agent anyway.
    ///
    /// - Parameter newID: the random id of the epoch that begins if a worker waits.
    private mutating func complete(_ pending: PendingSignOut, newID: Epoch.ID) -> [CompletionStep] {
        state = .signingOut(pending)
        guard pending.isOverdue || !pending.commit.awaitsEraser(besides: pending.gone) else { return [] }
        guard !pending.items.contains(.browser) else { return [] }
        if pending.taking == nil {
            let owing = pending.commit.isAttempt ? [] : owingApps
            // A process that keeps running may show data of the worker, or write it again after the app's other
            // processes have erased it.
            let apps = pending.commit.dataHolders.union(owing).subtracting(pending.commit.erased).union(lingeringApps)
            if !apps.isEmpty {
                var ordered = pending
                let unended = pending.commit.dataHolders.intersection(lingeringApps)
                ordered.taking = DataTaking(apps: apps, owing: owing, unended: unended)
                state = .signingOut(ordered)
                return [.takeData(apps.sorted(), pending.ended)]
            }
        }
        guard pending.items.isEmpty, pending.taking == nil || pending.taking?.taken != nil else { return [] }
        state = .ready
        let locked = pending.locked
        let locks: [CompletionStep] = locked.isEmpty ? [] : [.lock(locked, pending.ended)]
        let next = pending.waiting.map { [CompletionStep.admit(admit($0, newID: newID))] } ?? []
        return locks + [.writeReceipt(pending.handover), .journal(epoch), .answer(pending.requesters)] + next
    }
}

// MARK: - Processes

extension SessionMachine {
    /// Handles the unexpected exit of the session process.
    package mutating func sessionProcessDied(newID: Epoch.ID) -> ProcessDeathOutcome {
        switch state {
        case .ready: return .restart(epoch)
        case .signingIn: return .committed(end(by: .processLost, answering: [], newID: newID))
        // There is no reason to wait: the apps that were notified of the end lost their connections when the process
        // died.
        case .ending(_, let ending): return .committed(end(by: ending.trigger, answering: [], newID: newID))
        case .signedIn(var session):
            session.restarts += 1
            session.hasListeners = false
            guard session.restarts <= ActiveSession.maximumRestarts else {
                return .committed(end(by: .processLost, answering: [], newID: newID))
            }
            state = .signedIn(session)
            return .resume(epoch)
        case .signingOut(var pending):
            // The request belonged to an app of the session process that died; that app asks again.
            pending.waiting = nil
            state = .signingOut(pending)
            return .restart(epoch)
        }
    }

    /// Handles a new connection from the agent.
    ///
    /// - Returns: the epoch whose browser the agent must close; nil if no browser is left.
    package func agentArrived() -> Epoch? {
        guard case .signingOut(let pending) = state, pending.items.contains(.browser) else { return nil }
        return pending.ended
    }
}

// MARK: - Apps

extension SessionMachine {
    /// Records that an app of this epoch asked to be notified before the session ends.
    package mutating func listenerArrived(_ listened: Epoch) {
        guard case .signedIn(var session) = state, session.epoch == listened else { return }
        session.hasListeners = true
        state = .signedIn(session)
    }

    /// Records that an app with folders of data is about to be given data of this epoch's worker.
    ///
    /// - Returns: the record that must be in the journal before that; nil if nothing changes.
    package mutating func dataHolderArrived(_ app: String, _ arrived: Epoch) -> Enlistment? {
        switch state {
        case .signedIn(var session) where session.mayKeep(app, arrived):
            session.dataHolders.insert(app)
            state = .signedIn(session)
            return Enlistment(session)
        case .ending(var session, let ending) where session.mayKeep(app, arrived):
            session.dataHolders.insert(app)
            state = .ending(session, ending)
            return Enlistment(session)
        case .ready, .signingIn, .signedIn, .ending, .signingOut: return nil
        }
    }

    /// Registers an eraser of an app of this epoch.
    ///
    /// - Returns: the record that must be in the journal before the app is answered; nil if nothing changes.
    package mutating func eraserEnlisted(_ eraser: AppEraser, _ enlisted: Epoch) -> Enlistment? {
        switch state {
        case .signedIn(var session) where session.mayEnlist(eraser, enlisted):
            session.erasers.insert(eraser)
            state = .signedIn(session)
            return Enlistment(session)
        case .ending(var session, let ending) where session.mayEnlist(eraser, enlisted):
            session.erasers.insert(eraser)
            state = .ending(session, ending)
            return Enlistment(session)
        case .ready, .signingIn, .signedIn, .ending, .signingOut: return nil
        }
    }

    /// Records an eraser's answer about its data of the ended epoch.
    package mutating func eraserAnswered(
        _ eraser: AppEraser, hasErased: Bool, of ended: Epoch, newID: Epoch.ID
    ) -> EraserAnswerOutcome? {
        guard case .signingOut(var pending) = state, pending.ended == ended,
            let known = pending.commit.erasers[eraser], known != .done
        else { return nil }
        pending.commit.erasers[eraser] = hasErased ? .done : .failed
        return EraserAnswerOutcome(commit: pending.commit, completion: complete(pending, newID: newID))
    }

    /// Records that every process that had registered one of these erasers has ended. The sign-out no longer waits for
    /// these erasers' answers.
    package mutating func erasersGone(_ gone: Set<AppEraser>, of ended: Epoch, newID: Epoch.ID) -> [CompletionStep] {
        guard case .signingOut(var pending) = state, pending.ended == ended else { return [] }
        pending.gone.formUnion(gone)
        return complete(pending, newID: newID)
    }

    /// Ends the time that apps have to erase their data of the ended epoch.
    package mutating func appsOverdue(_ ended: Epoch, newID: Epoch.ID) -> [CompletionStep] {
        guard case .signingOut(var pending) = state, pending.ended == ended else { return [] }
        pending.isOverdue = true
        return complete(pending, newID: newID)
    }

    /// Records for which apps the agent has taken away the data of the ended epoch.
    ///
    /// - Parameters:
    ///   - failed: the apps whose data the agent could not take away. The agent has reported nothing about an app that
    ///     is in neither `taken` nor `failed`.
    ///   - absent: the apps in `taken` for which a folder was missing.
    package mutating func dataTaken(
        _ taken: Set<String>, failed: Set<String>, absent: Set<String> = [], of ended: Epoch, newID: Epoch.ID
    ) -> [CompletionStep] {
        guard case .signingOut(var pending) = state, pending.ended == ended, let taking = pending.taking,
            taking.taken == nil
        else { return [] }
        pending.taking?.taken = taken.intersection(taking.apps)
        pending.taking?.failed = failed.intersection(taking.apps)
        pending.taking?.absent = absent.intersection(taking.apps)
        return complete(pending, newID: newID)
    }
}

extension SessionMachine.ActiveSession {
    fileprivate func mayKeep(_ app: String, _ arrived: Epoch) -> Bool {
        epoch == arrived && !dataHolders.contains(app) && dataHolders.count < Self.maximumApps
    }

    /// Whether this eraser is registered or may be registered.
    package func hasRoom(for eraser: AppEraser) -> Bool { erasers.contains(eraser) || mayEnlist(eraser, epoch) }

    fileprivate func mayEnlist(_ eraser: AppEraser, _ enlisted: Epoch) -> Bool {
        let own = erasers.count { $0.bundleID == eraser.bundleID }
        return epoch == enlisted && !erasers.contains(eraser) && own < HandoverName.maximumCount
            && (own > 0 || Set(erasers.map(\.bundleID)).count < Self.maximumApps)
    }
}

extension SessionMachine.PendingSignOut {
    /// The content of the receipt, which is written once every item is cleared.
    fileprivate var handover: HandoverOutcome {
        HandoverOutcome(
            ended: commit.ended, next: commit.next, trigger: commit.trigger, isAttempt: commit.isAttempt,
            items: [.sessionKey, .sessionProcess] + (usedBrowser ? [.browser] : []) + [.files]
                + Set(commit.apps.keys).union(unerased.subtracting(taking?.absent ?? [])).sorted().map(outcome))
    }

    /// The apps whose data the agent had to take away, except for those that have erased it themselves in the meantime.
    private var unerased: Set<String> {
        guard let taking else { return [] }
        return taking.apps.subtracting(commit.erased.subtracting(taking.unended))
    }

    private func outcome(of app: String) -> ItemOutcome {
        if unerased.contains(app), let taking {
            if taking.taken?.contains(app) == true { return .data(of: app, .done) }
            if taking.failed.contains(app) { return .data(of: app, .failed) }
        }
        let own = commit.apps[app]?.result ?? .unanswered
        // One of the app's processes has not erased the data, even if the others have.
        return .app(app, own == .done && taking?.unended.contains(app) == true ? .unanswered : own)
    }

    /// The erasers that keep their apps locked, because the data of these apps was not taken away. An app is locked as
    /// a whole if it has no eraser, or if it has a process other than those that have erased the data. An app that an
    /// earlier session keeps locked is not locked as a whole again.
    fileprivate var locked: [AppEraser] {
        let taken = taking?.taken ?? []
        // A later answer of the eraser does not cover a process that keeps running.
        let answerable = Set(commit.unerased.map(\.bundleID)).subtracting(taking?.unended ?? [])
        let wholes = unerased.subtracting(answerable).subtracting(taking?.owing ?? []).map(AppEraser.whole)
        return (commit.unerased + wholes).filter { !taken.contains($0.bundleID) }.sorted()
    }
}

extension Commit.Answer {
    fileprivate var result: ItemOutcome.Result {
        switch self {
        case .awaited: .unanswered
        case .done: .done
        case .failed: .failed
        }
    }
}
