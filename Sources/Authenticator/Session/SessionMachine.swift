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
        case .signedIn(let epoch) where keyKept:
            // What the browser was used for died with the supervisor; its profile may still be there.
            let machine = SessionMachine(state: .signedIn(Visit(epoch: epoch, usedBrowser: true)), epoch: epoch)
            return (machine, [.startChild(epoch, resuming: true)])
        case nil:
            let machine = SessionMachine(state: .ready, epoch: Epoch(random: &random, counter: 1))
            return (machine, [.journal(.ready(machine.epoch)), .startChild(machine.epoch, resuming: false)])
        case .ready(let epoch):
            return (SessionMachine(state: .ready, epoch: epoch), [.startChild(epoch, resuming: false)])
        case .signingIn(let epoch), .signedIn(let epoch):
            var machine = SessionMachine(state: .ready, epoch: epoch)
            let actions = machine.commit(
                Visit(epoch: epoch, usedBrowser: true), isAttempt: record == .signingIn(epoch), by: .supervisorLost,
                answering: [], random: &random)
            return (machine, actions)
        case .signingOut(let commit):
            var machine = SessionMachine(state: .ready, epoch: commit.next)
            let actions = machine.clear(commit, usedBrowser: true, answering: [])
            return (machine, actions)
        }
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
        case .signedIn: return [.refuse(ticket, .occupied)]
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
        case .ready, .signingOut: return []
        }
    }

    private mutating func succeed() -> [Action] {
        guard case .visiting(let visit, let ticket) = state, ticket.purpose == .worker else { return [] }
        state = .signedIn(visit)
        epoch = visit.epoch
        return [.journal(.signedIn(visit.epoch)), .confirm(ticket)]
    }

    private mutating func endWanted<R: RandomNumberGenerator>(
        _ requester: Requester, _ door: Door, random: inout R
    ) -> [Action] {
        switch state {
        case .ready: return [.answer([requester])]
        case .visiting, .signedIn: return end(by: door, answering: [requester], random: &random)
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
        case .ready, .signingOut: []
        }
    }

    private mutating func commit<R: RandomNumberGenerator>(
        _ visit: Visit, isAttempt: Bool, by door: Door, answering requesters: [Requester], random: inout R
    ) -> [Action] {
        epoch = Epoch(random: &random, counter: visit.epoch.counter + 1)
        let commit = Commit(ended: visit.epoch, next: epoch, door: door, isAttempt: isAttempt)
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
    }

    private mutating func cleared<R: RandomNumberGenerator>(
        _ item: Item, of ended: Epoch, random: inout R
    ) -> [Action] {
        guard case .signingOut(var clearing) = state, clearing.ended == ended else { return [] }
        clearing.items.remove(item)
        state = .signingOut(clearing)
        guard clearing.items.isEmpty else { return [] }
        state = .ready
        let next = clearing.waiting.map { begin($0, random: &random) } ?? []
        return [.writeReceipt(clearing.handOver), .journal(.ready(epoch)), .answer(clearing.requesters)] + next
    }

    private mutating func childDied<R: RandomNumberGenerator>(random: inout R) -> [Action] {
        switch state {
        case .ready: return [.restartChild(epoch)]
        case .visiting: return end(by: .processLost, answering: [], random: &random)
        case .signedIn(var visit):
            visit.restarts += 1
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

extension SessionMachine.Clearing {
    /// What the receipt says, once nothing is left.
    fileprivate var handOver: HandOver {
        let cleared = usedBrowser ? SessionMachine.Item.allCases : [.files]
        return HandOver(
            ended: commit.ended, next: commit.next, door: commit.door, isAttempt: commit.isAttempt,
            items: [.sessionKey, .sessionProcess] + cleared.map { .broker($0.rawValue) })
    }
}
