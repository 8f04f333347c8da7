// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// Who holds the device, as a pure machine: every event gives the actions that the supervisor must take, in order.
///
/// Rules: nobody's session begins before the last one's traces are gone; an epoch's number never comes back; what was
/// committed to the journal is carried to its end, whatever dies on the way.
package struct SessionMachine: Sendable, Equatable {
    package private(set) var state: State
    /// What app connections belong to now; they end when it changes.
    package private(set) var epoch: Epoch

    /// Starts where the journal says the device was left, or as new.
    ///
    /// A session that was live or beginning is over, since its key died with the supervisor that held it; but for one
    /// that was live and whose key the service manager kept.
    ///
    /// - Parameter keyKept: whether the key of the journal's epoch is there.
    package static func recover<R: RandomNumberGenerator>(
        from record: JournalRecord?, keyKept: Bool, random: inout R
    ) -> (SessionMachine, [Action]) {
        switch record {
        case .signedIn(let epoch, let apps) where keyKept:
            // What the browser was used for died with the supervisor; its profile may still be there.
            let session = ActiveSession(epoch: epoch, usedBrowser: true, apps: apps)
            let machine = SessionMachine(state: .signedIn(session), epoch: epoch)
            return (machine, [.startSessionProcess(epoch, resuming: true)])
        case nil:
            let machine = SessionMachine(state: .ready, epoch: Epoch(random: &random, counter: 1))
            return (machine, [.journal(.ready(machine.epoch)), .startSessionProcess(machine.epoch, resuming: false)])
        case .ready(let epoch):
            return (SessionMachine(state: .ready, epoch: epoch), [.startSessionProcess(epoch, resuming: false)])
        case .signingIn(let epoch):
            return ended(ActiveSession(epoch: epoch, usedBrowser: true), isAttempt: true, random: &random)
        case .signedIn(let epoch, let apps):
            return ended(ActiveSession(epoch: epoch, usedBrowser: true, apps: apps), isAttempt: false, random: &random)
        case .signingOut(let commit):
            var machine = SessionMachine(state: .ready, epoch: commit.next)
            let actions = machine.clear(commit, usedBrowser: true, answering: [])
            return (machine, actions)
        }
    }

    /// The session or attempt that the supervisor took with it.
    private static func ended<R: RandomNumberGenerator>(
        _ session: ActiveSession, isAttempt: Bool, random: inout R
    ) -> (SessionMachine, [Action]) {
        var machine = SessionMachine(state: .ready, epoch: session.epoch)
        let actions = machine.commit(
            session, isAttempt: isAttempt, by: .supervisorLost, answering: [], random: &random)
        return (machine, actions)
    }

    /// Applies one event.
    package mutating func handle<R: RandomNumberGenerator>(_ event: Event, random: inout R) -> [Action] {
        switch event {
        case .signInRequested(let requestID): begin(requestID, random: &random)
        case .signInTimedOut(let requestID, let refusal): withdraw(requestID, refusal)
        case .browserWanted(let url): browse(url)
        case .signInSucceeded: succeed()
        case .signInFailed: isSigningIn ? end(by: .attemptFailed, answering: [], random: &random) : []
        case .endWanted(let requester, let trigger): endWanted(requester, trigger, random: &random)
        case .itemCleared(let item, let ended): cleared(item, of: ended, random: &random)
        case .sessionProcessDied: sessionProcessDied(random: &random)
        case .agentArrived: agentArrived
        case .listenerArrived(let epoch): listen(epoch)
        case .appEnlisted(let app, let epoch): enlist(app, epoch)
        case .graceExpired(let epoch): endAnnounced(epoch, random: &random)
        case .appAnswered(let app, let hasErased, let ended): answered(app, hasErased, of: ended, random: &random)
        case .appsOverdue(let ended): appsOverdue(ended, random: &random)
        }
    }
}

extension SessionMachine {
    private var isSigningIn: Bool {
        guard case .signingIn = state else { return false }
        return true
    }

    private mutating func begin<R: RandomNumberGenerator>(_ requestID: SignInRequestID, random: inout R) -> [Action] {
        switch state {
        case .ready:
            let next = Epoch(random: &random, counter: epoch.counter + 1)
            state = .signingIn(ActiveSession(epoch: next, usedBrowser: false), requestID)
            return [.journal(.signingIn(next)), .makeKey, .admit(requestID, next)]
        case .signingOut(var pending) where pending.waiting == nil:
            pending.waiting = requestID
            state = .signingOut(pending)
            return []
        case .signingIn, .signingOut: return [.refuse(requestID, .anotherSignIn)]
        case .signedIn, .ending: return [.refuse(requestID, .occupied)]
        }
    }

    private mutating func withdraw(_ requestID: SignInRequestID, _ refusal: Refusal) -> [Action] {
        guard case .signingOut(var pending) = state, pending.waiting == requestID else { return [] }
        pending.waiting = nil
        state = .signingOut(pending)
        return [.refuse(requestID, refusal)]
    }

    private mutating func browse(_ url: String) -> [Action] {
        switch state {
        case .signingIn(var session, let requestID):
            session.usedBrowser = true
            state = .signingIn(session, requestID)
            return [.openBrowser(session.epoch, url)]
        case .signedIn(var session):
            session.usedBrowser = true
            state = .signedIn(session)
            return [.openBrowser(session.epoch, url)]
        case .ready, .ending, .signingOut: return []
        }
    }

    private mutating func succeed() -> [Action] {
        guard case .signingIn(let session, let requestID) = state, requestID.purpose == .worker else { return [] }
        state = .signedIn(session)
        epoch = session.epoch
        return [.journal(.signedIn(session.epoch, apps: [])), .confirm(requestID)]
    }

    private mutating func endWanted<R: RandomNumberGenerator>(
        _ requester: Requester, _ trigger: SignOutTrigger, random: inout R
    ) -> [Action] {
        switch state {
        case .ready: return [.answer([requester])]
        case .signedIn(let session) where trigger.isGraceful && session.hasListeners:
            state = .ending(session, Ending(trigger: trigger, requesters: [requester]))
            return [.announceEnd(session.epoch)]
        case .ending(let session, var ending) where trigger.isGraceful:
            ending.requesters.append(requester)
            state = .ending(session, ending)
            return []
        case .signingIn, .signedIn, .ending: return end(by: trigger, answering: [requester], random: &random)
        case .signingOut(var pending):
            pending.requesters.append(requester)
            state = .signingOut(pending)
            return []
        }
    }

    /// Commits the end of the session or attempt, and begins what must follow.
    private mutating func end<R: RandomNumberGenerator>(
        by trigger: SignOutTrigger, answering requesters: [Requester], random: inout R
    ) -> [Action] {
        switch state {
        case .signingIn(let session, _):
            commit(session, isAttempt: true, by: trigger, answering: requesters, random: &random)
        case .signedIn(let session):
            commit(session, isAttempt: false, by: trigger, answering: requesters, random: &random)
        case .ending(let session, let ending):
            commit(
                session, isAttempt: false, by: trigger, answering: ending.requesters + requesters, random: &random)
        case .ready, .signingOut: []
        }
    }

    private mutating func commit<R: RandomNumberGenerator>(
        _ session: ActiveSession, isAttempt: Bool, by trigger: SignOutTrigger, answering requesters: [Requester],
        random: inout R
    ) -> [Action] {
        epoch = Epoch(random: &random, counter: session.epoch.counter + 1)
        let apps = Dictionary(uniqueKeysWithValues: session.apps.map { ($0, Commit.Eraser.awaited) })
        let commit = Commit(ended: session.epoch, next: epoch, trigger: trigger, isAttempt: isAttempt, apps: apps)
        return [.journal(.signingOut(commit))]
            + clear(commit, usedBrowser: session.usedBrowser, answering: requesters)
    }

    /// What follows the commit; also where a restart takes up a sign-out that was committed.
    private mutating func clear(_ commit: Commit, usedBrowser: Bool, answering requesters: [Requester]) -> [Action] {
        state = .signingOut(
            PendingSignOut(
                commit: commit, usedBrowser: usedBrowser, items: usedBrowser ? [.browser, .files] : [.files],
                requesters: requesters, waiting: nil))
        return [.destroyKey, .endSessionProcess, .startSessionProcess(epoch, resuming: false)]
            + (usedBrowser ? [.closeBrowser(commit.ended)] : []) + [.clearFiles(commit.ended)]
            + (commit.apps.values.contains(.awaited) ? [.awaitApps(commit.ended)] : [])
    }

    private mutating func cleared<R: RandomNumberGenerator>(
        _ item: Item, of ended: Epoch, random: inout R
    ) -> [Action] {
        guard case .signingOut(var pending) = state, pending.ended == ended else { return [] }
        pending.items.remove(item)
        return goOn(pending, random: &random)
    }

    /// The device is ready when nothing of the broker's own is left, and no app has time left to erase.
    private mutating func goOn<R: RandomNumberGenerator>(_ pending: PendingSignOut, random: inout R) -> [Action] {
        state = .signingOut(pending)
        guard pending.items.isEmpty else { return [] }
        guard pending.isOverdue || !pending.commit.apps.values.contains(.awaited) else { return [] }
        state = .ready
        let unerased = pending.commit.unerased
        let locks: [Action] = unerased.isEmpty ? [] : [.lockApps(unerased, pending.ended)]
        let next = pending.waiting.map { begin($0, random: &random) } ?? []
        return locks + [.writeReceipt(pending.handover), .journal(.ready(epoch)), .answer(pending.requesters)] + next
    }

    private mutating func sessionProcessDied<R: RandomNumberGenerator>(random: inout R) -> [Action] {
        switch state {
        case .ready: return [.restartSessionProcess(epoch)]
        case .signingIn: return end(by: .processLost, answering: [], random: &random)
        // The apps that were told of the end went with it.
        case .ending(_, let ending): return end(by: ending.trigger, answering: [], random: &random)
        case .signedIn(var session):
            session.restarts += 1
            session.hasListeners = false
            guard session.restarts <= ActiveSession.maximumRestarts else {
                return end(by: .processLost, answering: [], random: &random)
            }
            state = .signedIn(session)
            return [.startSessionProcess(epoch, resuming: true)]
        case .signingOut(var pending):
            // The request belonged to an app of the session process that died; that app asks again.
            pending.waiting = nil
            state = .signingOut(pending)
            return [.restartSessionProcess(epoch)]
        }
    }

    private var agentArrived: [Action] {
        guard case .signingOut(let pending) = state, pending.items.contains(.browser) else { return [] }
        return [.closeBrowser(pending.ended)]
    }
}

// MARK: - Apps

extension SessionMachine {
    private mutating func listen(_ listened: Epoch) -> [Action] {
        guard case .signedIn(var session) = state, session.epoch == listened else { return [] }
        session.hasListeners = true
        state = .signedIn(session)
        return []
    }

    private mutating func enlist(_ app: String, _ enlisted: Epoch) -> [Action] {
        switch state {
        case .signedIn(var session) where session.mayEnlist(app, enlisted):
            session.apps.insert(app)
            state = .signedIn(session)
            return [.journal(.signedIn(session.epoch, apps: session.apps))]
        case .ending(var session, let ending) where session.mayEnlist(app, enlisted):
            session.apps.insert(app)
            state = .ending(session, ending)
            return [.journal(.signedIn(session.epoch, apps: session.apps))]
        case .ready, .signingIn, .signedIn, .ending, .signingOut: return []
        }
    }

    private mutating func endAnnounced<R: RandomNumberGenerator>(_ announced: Epoch, random: inout R) -> [Action] {
        guard case .ending(let session, let ending) = state, session.epoch == announced else { return [] }
        return end(by: ending.trigger, answering: [], random: &random)
    }

    private mutating func answered<R: RandomNumberGenerator>(
        _ app: String, _ hasErased: Bool, of ended: Epoch, random: inout R
    ) -> [Action] {
        guard case .signingOut(var pending) = state, pending.ended == ended,
            let known = pending.commit.apps[app], known != .done
        else { return [] }
        pending.commit.apps[app] = hasErased ? .done : .failed
        return [.journal(.signingOut(pending.commit))] + goOn(pending, random: &random)
    }

    private mutating func appsOverdue<R: RandomNumberGenerator>(_ ended: Epoch, random: inout R) -> [Action] {
        guard case .signingOut(var pending) = state, pending.ended == ended else { return [] }
        pending.isOverdue = true
        return goOn(pending, random: &random)
    }
}

extension SessionMachine.ActiveSession {
    fileprivate func mayEnlist(_ app: String, _ enlisted: Epoch) -> Bool {
        epoch == enlisted && !apps.contains(app) && apps.count < Self.maximumApps
    }
}

extension SessionMachine.PendingSignOut {
    /// What the receipt says, once nothing is left.
    fileprivate var handover: Handover {
        Handover(
            ended: commit.ended, next: commit.next, trigger: commit.trigger, isAttempt: commit.isAttempt,
            items: [.sessionKey, .sessionProcess] + (usedBrowser ? [.browser] : []) + [.files]
                + commit.apps.sorted { $0.key < $1.key }.map { .app($0.key, $0.value.result) })
    }
}

extension Commit.Eraser {
    fileprivate var result: ItemOutcome.Result {
        switch self {
        case .awaited: .unanswered
        case .done: .done
        case .failed: .failed
        }
    }
}
