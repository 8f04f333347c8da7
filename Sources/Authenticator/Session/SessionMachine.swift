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
            let visit = Visit(epoch: epoch, usedBrowser: true, apps: apps)
            let machine = SessionMachine(state: .signedIn(visit), epoch: epoch)
            return (machine, [.startChild(epoch, resuming: true)])
        case nil:
            let machine = SessionMachine(state: .ready, epoch: Epoch(random: &random, counter: 1))
            return (machine, [.journal(.ready(machine.epoch)), .startChild(machine.epoch, resuming: false)])
        case .ready(let epoch):
            return (SessionMachine(state: .ready, epoch: epoch), [.startChild(epoch, resuming: false)])
        case .signingIn(let epoch):
            return ended(Visit(epoch: epoch, usedBrowser: true), isAttempt: true, random: &random)
        case .signedIn(let epoch, let apps):
            return ended(Visit(epoch: epoch, usedBrowser: true, apps: apps), isAttempt: false, random: &random)
        case .signingOut(let commit):
            var machine = SessionMachine(state: .ready, epoch: commit.next)
            let actions = machine.clear(commit, usedBrowser: true, answering: [])
            return (machine, actions)
        }
    }

    /// The session or attempt that the supervisor took with it.
    private static func ended<R: RandomNumberGenerator>(
        _ visit: Visit, isAttempt: Bool, random: inout R
    ) -> (SessionMachine, [Action]) {
        var machine = SessionMachine(state: .ready, epoch: visit.epoch)
        let actions = machine.commit(
            visit, isAttempt: isAttempt, by: .supervisorLost, answering: [], random: &random)
        return (machine, actions)
    }

    /// Applies one event.
    package mutating func handle<R: RandomNumberGenerator>(_ event: Event, random: inout R) -> [Action] {
        switch event {
        case .visitWanted(let ticket): begin(ticket, random: &random)
        case .visitOverdue(let ticket, let refusal): withdraw(ticket, refusal)
        case .browserWanted(let url): browse(url)
        case .visitSucceeded: succeed()
        case .visitFailed: isVisiting ? end(by: .attemptFailed, answering: [], random: &random) : []
        case .endWanted(let requester, let door): endWanted(requester, door, random: &random)
        case .itemCleared(let item, let ended): cleared(item, of: ended, random: &random)
        case .childDied: childDied(random: &random)
        case .agentArrived: agentArrived
        case .listenerArrived(let epoch): listen(epoch)
        case .appEnlisted(let app, let epoch): enlist(app, epoch)
        case .politenessOver(let epoch): endAnnounced(epoch, random: &random)
        case .appAnswered(let app, let hasErased, let ended): answered(app, hasErased, of: ended, random: &random)
        case .appsOverdue(let ended): appsOverdue(ended, random: &random)
        }
    }
}

extension SessionMachine {
    private var isVisiting: Bool {
        guard case .visiting = state else { return false }
        return true
    }

    private mutating func begin<R: RandomNumberGenerator>(_ ticket: Ticket, random: inout R) -> [Action] {
        switch state {
        case .ready:
            let next = Epoch(random: &random, counter: epoch.counter + 1)
            state = .visiting(Visit(epoch: next, usedBrowser: false), ticket)
            return [.journal(.signingIn(next)), .makeKey, .admit(ticket, next)]
        case .signingOut(var clearing) where clearing.waiting == nil:
            clearing.waiting = ticket
            state = .signingOut(clearing)
            return []
        case .visiting, .signingOut: return [.refuse(ticket, .anotherVisit)]
        case .signedIn, .ending: return [.refuse(ticket, .occupied)]
        }
    }

    private mutating func withdraw(_ ticket: Ticket, _ refusal: Refusal) -> [Action] {
        guard case .signingOut(var clearing) = state, clearing.waiting == ticket else { return [] }
        clearing.waiting = nil
        state = .signingOut(clearing)
        return [.refuse(ticket, refusal)]
    }

    private mutating func browse(_ url: String) -> [Action] {
        switch state {
        case .visiting(var visit, let ticket):
            visit.usedBrowser = true
            state = .visiting(visit, ticket)
            return [.openBrowser(visit.epoch, url)]
        case .signedIn(var visit):
            visit.usedBrowser = true
            state = .signedIn(visit)
            return [.openBrowser(visit.epoch, url)]
        case .ready, .ending, .signingOut: return []
        }
    }

    private mutating func succeed() -> [Action] {
        guard case .visiting(let visit, let ticket) = state, ticket.purpose == .worker else { return [] }
        state = .signedIn(visit)
        epoch = visit.epoch
        return [.journal(.signedIn(visit.epoch, apps: [])), .confirm(ticket)]
    }

    private mutating func endWanted<R: RandomNumberGenerator>(
        _ requester: Requester, _ door: Door, random: inout R
    ) -> [Action] {
        switch state {
        case .ready: return [.answer([requester])]
        case .signedIn(let visit) where door.isPolite && visit.hasListeners:
            state = .ending(visit, Ending(door: door, requesters: [requester]))
            return [.announceEnd(visit.epoch)]
        case .ending(let visit, var ending) where door.isPolite:
            ending.requesters.append(requester)
            state = .ending(visit, ending)
            return []
        case .visiting, .signedIn, .ending: return end(by: door, answering: [requester], random: &random)
        case .signingOut(var clearing):
            clearing.requesters.append(requester)
            state = .signingOut(clearing)
            return []
        }
    }

    /// Commits the end of the session or attempt, and begins what must follow.
    private mutating func end<R: RandomNumberGenerator>(
        by door: Door, answering requesters: [Requester], random: inout R
    ) -> [Action] {
        switch state {
        case .visiting(let visit, _):
            commit(visit, isAttempt: true, by: door, answering: requesters, random: &random)
        case .signedIn(let visit):
            commit(visit, isAttempt: false, by: door, answering: requesters, random: &random)
        case .ending(let visit, let ending):
            commit(
                visit, isAttempt: false, by: door, answering: ending.requesters + requesters, random: &random)
        case .ready, .signingOut: []
        }
    }

    private mutating func commit<R: RandomNumberGenerator>(
        _ visit: Visit, isAttempt: Bool, by door: Door, answering requesters: [Requester], random: inout R
    ) -> [Action] {
        epoch = Epoch(random: &random, counter: visit.epoch.counter + 1)
        let apps = Dictionary(uniqueKeysWithValues: visit.apps.map { ($0, Commit.Eraser.awaited) })
        let commit = Commit(ended: visit.epoch, next: epoch, door: door, isAttempt: isAttempt, apps: apps)
        return [.journal(.signingOut(commit))]
            + clear(commit, usedBrowser: visit.usedBrowser, answering: requesters)
    }

    /// What follows the commit; also where a restart takes up a sign-out that was committed.
    private mutating func clear(_ commit: Commit, usedBrowser: Bool, answering requesters: [Requester]) -> [Action] {
        state = .signingOut(
            Clearing(
                commit: commit, usedBrowser: usedBrowser, items: usedBrowser ? [.browser, .files] : [.files],
                requesters: requesters, waiting: nil))
        return [.destroyKey, .endChild, .startChild(epoch, resuming: false)]
            + (usedBrowser ? [.closeBrowser(commit.ended)] : []) + [.clearFiles(commit.ended)]
            + (commit.apps.values.contains(.awaited) ? [.awaitApps(commit.ended)] : [])
    }

    private mutating func cleared<R: RandomNumberGenerator>(
        _ item: Item, of ended: Epoch, random: inout R
    ) -> [Action] {
        guard case .signingOut(var clearing) = state, clearing.ended == ended else { return [] }
        clearing.items.remove(item)
        return goOn(clearing, random: &random)
    }

    /// The device is ready when nothing of the broker's own is left, and no app has time left to erase.
    private mutating func goOn<R: RandomNumberGenerator>(_ clearing: Clearing, random: inout R) -> [Action] {
        state = .signingOut(clearing)
        guard clearing.items.isEmpty else { return [] }
        guard clearing.isOverdue || !clearing.commit.apps.values.contains(.awaited) else { return [] }
        state = .ready
        let unerased = clearing.commit.unerased
        let locks: [Action] = unerased.isEmpty ? [] : [.lockApps(unerased, clearing.ended)]
        let next = clearing.waiting.map { begin($0, random: &random) } ?? []
        return locks + [.writeReceipt(clearing.handOver), .journal(.ready(epoch)), .answer(clearing.requesters)] + next
    }

    private mutating func childDied<R: RandomNumberGenerator>(random: inout R) -> [Action] {
        switch state {
        case .ready: return [.restartChild(epoch)]
        case .visiting: return end(by: .processLost, answering: [], random: &random)
        // The apps that were told of the end went with it.
        case .ending(_, let ending): return end(by: ending.door, answering: [], random: &random)
        case .signedIn(var visit):
            visit.restarts += 1
            visit.hasListeners = false
            guard visit.restarts <= Visit.maximumRestarts else {
                return end(by: .processLost, answering: [], random: &random)
            }
            state = .signedIn(visit)
            return [.startChild(epoch, resuming: true)]
        case .signingOut(var clearing):
            // The ticket belonged to an app of the child that died; that app asks again.
            clearing.waiting = nil
            state = .signingOut(clearing)
            return [.restartChild(epoch)]
        }
    }

    private var agentArrived: [Action] {
        guard case .signingOut(let clearing) = state, clearing.items.contains(.browser) else { return [] }
        return [.closeBrowser(clearing.ended)]
    }
}

// MARK: - Apps

extension SessionMachine {
    private mutating func listen(_ listened: Epoch) -> [Action] {
        guard case .signedIn(var visit) = state, visit.epoch == listened else { return [] }
        visit.hasListeners = true
        state = .signedIn(visit)
        return []
    }

    private mutating func enlist(_ app: String, _ enlisted: Epoch) -> [Action] {
        switch state {
        case .signedIn(var visit) where visit.mayEnlist(app, enlisted):
            visit.apps.insert(app)
            state = .signedIn(visit)
            return [.journal(.signedIn(visit.epoch, apps: visit.apps))]
        case .ending(var visit, let ending) where visit.mayEnlist(app, enlisted):
            visit.apps.insert(app)
            state = .ending(visit, ending)
            return [.journal(.signedIn(visit.epoch, apps: visit.apps))]
        case .ready, .visiting, .signedIn, .ending, .signingOut: return []
        }
    }

    private mutating func endAnnounced<R: RandomNumberGenerator>(_ announced: Epoch, random: inout R) -> [Action] {
        guard case .ending(let visit, let ending) = state, visit.epoch == announced else { return [] }
        return end(by: ending.door, answering: [], random: &random)
    }

    private mutating func answered<R: RandomNumberGenerator>(
        _ app: String, _ hasErased: Bool, of ended: Epoch, random: inout R
    ) -> [Action] {
        guard case .signingOut(var clearing) = state, clearing.ended == ended,
            let known = clearing.commit.apps[app], known != .done
        else { return [] }
        clearing.commit.apps[app] = hasErased ? .done : .failed
        return [.journal(.signingOut(clearing.commit))] + goOn(clearing, random: &random)
    }

    private mutating func appsOverdue<R: RandomNumberGenerator>(_ ended: Epoch, random: inout R) -> [Action] {
        guard case .signingOut(var clearing) = state, clearing.ended == ended else { return [] }
        clearing.isOverdue = true
        return goOn(clearing, random: &random)
    }
}

extension SessionMachine.Visit {
    fileprivate func mayEnlist(_ app: String, _ enlisted: Epoch) -> Bool {
        epoch == enlisted && !apps.contains(app) && apps.count < Self.maximumApps
    }
}

extension SessionMachine.Clearing {
    /// What the receipt says, once nothing is left.
    fileprivate var handOver: HandOver {
        HandOver(
            ended: commit.ended, next: commit.next, door: commit.door, isAttempt: commit.isAttempt,
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
