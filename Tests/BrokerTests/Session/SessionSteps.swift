// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Dispatch
import SessionIPC

/// One event in one state, and its result.
struct SessionStep: Sendable {
    enum Cause: Sendable {
        case event(SessionMachine.Event)
        /// The supervisor dies and restarts from the journal.
        case restart(keyKept: Bool)
    }

    let before: SessionMachine
    let cause: Cause
    let actions: [SessionAction]
    let after: SessionMachine

    /// Every step from every state that any order of events and restarts can reach. States count as the same if their
    /// counters are equally far from the current one.
    static let all: [SessionStep] = explore()

    private static let queue = DispatchQueue(label: "exploration")

    /// Returns ``all``, computed outside the threads that other tests use.
    static func everyOne() async -> [SessionStep] {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: all) } }
    }

    /// The limit of the exploration, far above the number of steps. If a machine exceeds it, the exploration stops.
    static let maximum = 200_000

    private struct Place {
        let machine: SessionMachine
        /// The journal's content in this place.
        let record: JournalRecord?

        /// A text that is equal for places that differ only in the absolute value of counters, or in a trigger that is
        /// only recorded.
        func shape(_ patterns: Patterns) -> String {
            let now = machine.epoch.counter
            return "\(machine.state) \(String(describing: record))".replacing(patterns.epoch) { match in
                "\(Int(match.1).map { $0 - Int(now) } ?? 0)"
            }.replacing(patterns.trigger, with: "SignOutTrigger")
        }
    }

    /// The patterns of the parts that a shape leaves out, compiled once.
    private struct Patterns {
        let epoch = /(\d+)\.0{32}/
        let trigger = /SignOutTrigger\.[A-Za-z]+/
    }

    private static func explore() -> [SessionStep] {
        var random = Zeros()
        let (new, actions) = SessionMachine.recover(from: nil, keyKept: false, random: &random)
        let patterns = Patterns()
        var steps: [SessionStep] = []
        var seen: Set<String> = []
        var waiting = [Place(machine: new, record: journal(after: actions, nil))]
        while let place = waiting.popLast(), steps.count < maximum {
            guard seen.insert(place.shape(patterns)).inserted else { continue }
            for cause in causes(place.machine) {
                var after = place.machine
                let actions: [SessionAction]
                switch cause {
                case .event(let event): actions = after.handle(event, random: &random)
                case .restart(let keyKept):
                    (after, actions) = SessionMachine.recover(from: place.record, keyKept: keyKept, random: &random)
                }
                steps.append(SessionStep(before: place.machine, cause: cause, actions: actions, after: after))
                let record = journal(after: actions, place.record)
                // If nothing changed, this is the same place.
                if after == place.machine, record == place.record { continue }
                // The number of requesters only grows, so the exploration covers a second requester and stops there.
                if requesters(after) <= 1 { waiting.append(Place(machine: after, record: record)) }
            }
        }
        return steps
    }

    /// The last record that these actions write.
    private static func journal(after actions: [SessionAction], _ before: JournalRecord?) -> JournalRecord? {
        for case .journal(let record) in actions.reversed() { return record }
        return before
    }

    private static func requesters(_ machine: SessionMachine) -> Int {
        switch machine.state {
        case .signingOut(let pending): pending.requesters.count
        case .ending(_, let ending): ending.requesters.count
        case .ready, .signingIn, .signedIn: 0
        }
    }

    /// The one eraser; more would differ only in their names.
    static let eraser: AppEraser = "app"
    static let worker = SessionMachine.SignInRequestID(number: 1, purpose: .worker)
    static let nextWorker = SessionMachine.SignInRequestID(number: 2, purpose: .worker)
    static let administrator = SessionMachine.SignInRequestID(number: 3, purpose: .administrator)

    /// An ended epoch, about which messages may still arrive.
    private static func before(_ epoch: Epoch) -> Epoch? { Epoch(id: epoch.id, counter: epoch.counter - 1) }

    private static func causes(_ machine: SessionMachine) -> [Cause] {
        let epochs = Set(
            [machine.epoch, machine.pending?.ended, machine.state.session?.epoch, before(machine.epoch)]
                .compactMap(\.self)
        ).sorted { $0.counter < $1.counter }
        let cleared = epochs.flatMap { epoch in SessionMachine.Item.allCases.map { ($0, epoch) } }
        let apps: [SessionMachine.Event] = epochs.flatMap { epoch in
            [
                .listenerArrived(epoch), .eraserEnlisted(eraser, epoch), .dataHolderArrived(eraser.bundleID, epoch),
                .graceExpired(epoch), .appsOverdue(epoch), .erasersGone([eraser], epoch),
                .eraserAnswered(eraser, hasErased: true, epoch), .eraserAnswered(eraser, hasErased: false, epoch),
                .eraserAnswered("stranger", hasErased: true, epoch),
                .dataTaken([eraser.bundleID], failed: [], epoch), .dataTaken([], failed: [eraser.bundleID], epoch),
                .dataTaken([], failed: [], epoch),
            ]
        }
        let events: [SessionMachine.Event] =
            [
                .signInRequested(worker), .signInRequested(nextWorker), .signInRequested(administrator),
                .signInTimedOut(worker, .agentMissing), .browserWanted(url: "http://127.0.0.1:1/x"),
                .signInSucceeded, .signInFailed, .endWanted(.init(number: 1), .app),
                .endWanted(.init(number: 1), .serverRevocation), .sessionProcessDied, .agentArrived,
            ] + cleared.map { .itemCleared($0, $1) } + apps
        return events.map { .event($0) } + [.restart(keyKept: false), .restart(keyKept: true)]
    }
}

extension SessionAction {
    /// Whether this commits the end of `ended` and records the trigger.
    func isCommit(of ended: Epoch, next: Epoch) -> Bool {
        guard case .journal(.signingOut(let commit)) = self else { return false }
        return commit.ended == ended && commit.next == next && commit.trigger != nil
    }
}

extension SessionMachine {
    /// The name of the state's case.
    var kind: String {
        switch state {
        case .ready: "ready"
        case .signingIn: "signingIn"
        case .signedIn: "signedIn"
        case .ending: "ending"
        case .signingOut: "signingOut"
        }
    }

    var pending: PendingSignOut? {
        guard case .signingOut(let pending) = state else { return nil }
        return pending
    }

    /// The epoch whose credentials someone at the device has, or is getting.
    var heldEpoch: Epoch? { state.session?.epoch }
}
