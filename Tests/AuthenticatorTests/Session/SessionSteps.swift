// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol

/// One thing that can happen in one state, and what follows.
struct SessionStep: Sendable {
    enum Cause: Sendable {
        case event(SessionMachine.Event)
        /// The supervisor dies and starts again with what the journal says.
        case restart(keyKept: Bool)
    }

    let before: SessionMachine
    let cause: Cause
    let actions: [SessionMachine.Action]
    let after: SessionMachine

    /// Every step from every state that any order of events and restarts can lead to, with counters told apart by their
    /// distance from now alone.
    static let all: [SessionStep] = explore()

    /// Far more steps than there are: a machine that counts without end is given up there.
    static let maximum = 20_000

    private struct Place {
        let machine: SessionMachine
        /// What the journal holds when the machine is here.
        let record: JournalRecord?

        /// Equal for places that differ in the height of their counters alone.
        var shape: String {
            let now = machine.epoch.counter
            return "\(machine.state) \(String(describing: record))".replacing(/(\d+)\.0{32}/) { match in
                "\(Int(match.1).map { $0 - Int(now) } ?? 0)"
            }
        }
    }

    private static func explore() -> [SessionStep] {
        var random = Zeros()
        let (new, actions) = SessionMachine.recover(from: nil, keyKept: false, random: &random)
        var steps: [SessionStep] = []
        var seen: Set<String> = []
        var waiting = [Place(machine: new, record: journal(after: actions, nil))]
        while let place = waiting.popLast(), steps.count < maximum {
            guard seen.insert(place.shape).inserted else { continue }
            for cause in causes(place.machine) {
                var after = place.machine
                let actions: [SessionMachine.Action]
                switch cause {
                case .event(let event): actions = after.handle(event, random: &random)
                case .restart(let keyKept):
                    (after, actions) = SessionMachine.recover(from: place.record, keyKept: keyKept, random: &random)
                }
                steps.append(SessionStep(before: place.machine, cause: cause, actions: actions, after: after))
                // Requesters are only collected: two tell all that more could.
                if requesters(after) <= 2 {
                    waiting.append(Place(machine: after, record: journal(after: actions, place.record)))
                }
            }
        }
        return steps
    }

    /// The last record that these actions write.
    private static func journal(after actions: [SessionMachine.Action], _ before: JournalRecord?) -> JournalRecord? {
        for case .journal(let record) in actions.reversed() { return record }
        return before
    }

    private static func requesters(_ machine: SessionMachine) -> Int {
        guard case .signingOut(let clearing) = machine.state else { return 0 }
        return clearing.requesters.count
    }

    static let worker = SessionMachine.Ticket(number: 1, purpose: .worker)
    static let nextWorker = SessionMachine.Ticket(number: 2, purpose: .worker)
    static let administrator = SessionMachine.Ticket(number: 3, purpose: .administrator)

    private static func causes(_ machine: SessionMachine) -> [Cause] {
        var epochs = [machine.epoch]
        if case .signingOut(let clearing) = machine.state { epochs.append(clearing.ended) }
        let cleared = epochs.flatMap { epoch in SessionMachine.Item.allCases.map { ($0, epoch) } }
        let events: [SessionMachine.Event] =
            [
                .visitWanted(worker), .visitWanted(nextWorker), .visitWanted(administrator),
                .visitOverdue(worker, .agentMissing), .browserWanted(url: "http://127.0.0.1:1/x"),
                .visitSucceeded, .visitFailed, .endWanted(.init(number: 1), .app), .childDied, .agentArrived,
            ] + cleared.map { .itemCleared($0, $1) }
        return events.map { .event($0) } + [.restart(keyKept: false), .restart(keyKept: true)]
    }
}

extension SessionMachine.Action {
    /// Whether this is the end of `ended`, written down with the door that it went by.
    func isCommit(of ended: Epoch, next: Epoch) -> Bool {
        guard case .journal(.signingOut(let commit)) = self else { return false }
        return commit.ended == ended && commit.next == next && commit.door != nil
    }
}

extension SessionMachine {
    var clearing: Clearing? {
        guard case .signingOut(let clearing) = state else { return nil }
        return clearing
    }

    /// The epoch whose credentials somebody at the device has, or is getting.
    var heldEpoch: Epoch? {
        switch state {
        case .visiting(let visit, _), .signedIn(let visit): visit.epoch
        case .ready, .signingOut: nil
        }
    }
}
