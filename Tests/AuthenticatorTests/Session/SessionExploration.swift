// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import Testing

/// Every state that any order of events can lead to, with counters told apart by their distance from now alone.
@Suite struct SessionExploration {
    private struct Step {
        let before: SessionMachine
        let event: SessionMachine.Event
        let actions: [SessionMachine.Action]
        let after: SessionMachine
    }

    private static let steps: [Step] = explore()

    private static func explore() -> [Step] {
        var random = Zeros()
        var steps: [Step] = []
        var seen: Set<String> = []
        var waiting = [SessionMachine.recover(from: nil, keyKept: false, random: &random).0]
        while let machine = waiting.popLast() {
            guard seen.insert(shape(machine)).inserted else { continue }
            for event in events(machine) {
                var after = machine
                let actions = after.handle(event, random: &random)
                steps.append(Step(before: machine, event: event, actions: actions, after: after))
                if requesters(after) <= 2 { waiting.append(after) }
            }
        }
        return steps
    }

    /// A state with the counters made relative to the present epoch.
    private static func shape(_ machine: SessionMachine) -> String {
        let now = machine.epoch.counter
        return "\(machine.state)".replacing(/(\d+)\.0{32}/) { match in
            "\(Int(match.1).map { $0 - Int(now) } ?? 0)"
        }
    }

    private static func requesters(_ machine: SessionMachine) -> Int {
        guard case .signingOut(let clearing) = machine.state else { return 0 }
        return clearing.requesters.count
    }

    private static func events(_ machine: SessionMachine) -> [SessionMachine.Event] {
        var epochs = [machine.epoch]
        if case .signingOut(let clearing) = machine.state { epochs.append(clearing.ended) }
        let cleared = epochs.flatMap { epoch in SessionMachine.Item.allCases.map { ($0, epoch) } }
        return [
            .visitWanted(.init(number: 1, purpose: .worker)), .visitWanted(.init(number: 2, purpose: .worker)),
            .visitWanted(.init(number: 3, purpose: .administrator)),
            .visitOverdue(.init(number: 1, purpose: .worker), .agentMissing),
            .browserWanted(url: "http://127.0.0.1:1/x"),
            .visitSucceeded, .visitFailed, .endWanted(.init(number: 1), .app), .childDied, .agentArrived,
        ] + cleared.map { .itemCleared($0, $1) }
    }

    @Test func `the exploration reaches every kind of state`() {
        let names = Set(Self.steps.map { "\($0.after.state)".prefix { $0 != "(" } })
        #expect(names == ["ready", "visiting", "signedIn", "signingOut"])
        #expect(Self.steps.count > 200)
    }

    @Test func `nobody is admitted while another holds the device or traces are left`() {
        for step in Self.steps {
            let admitted = step.actions.filter { if case .admit = $0 { true } else { false } }
            guard !admitted.isEmpty else { continue }
            #expect(admitted.count == 1)
            switch step.before.state {
            case .ready: break
            case .signingOut(let clearing):
                // The last trace goes in this very step, and the journal says ready before the next one begins.
                #expect(clearing.items.count == 1)
                #expect(step.actions.first == .journal(.ready(step.before.epoch)))
            case .visiting, .signedIn: Issue.record("admitted in \(step.before.state)")
            }
        }
    }

    @Test func `every end is committed before anything is destroyed, and destroys everything`() {
        for step in Self.steps where step.actions.contains(.destroyKey) {
            guard case .journal(.signingOut(let ended, let next, _?))? = step.actions.first else {
                Issue.record("no commit in \(step.actions)")
                continue
            }
            #expect(next == step.after.epoch)
            #expect(next.counter > ended.counter)
            #expect(step.actions.contains(.endChild))
            #expect(step.actions.contains(.clearFiles(ended)))
        }
    }

    @Test func `an epoch's counter never comes back`() {
        for step in Self.steps { #expect(step.after.epoch.counter >= step.before.epoch.counter) }
        for step in Self.steps where step.after.epoch != step.before.epoch {
            #expect(step.after.epoch.counter > step.before.epoch.counter)
        }
    }

    @Test func `nothing is confirmed that is not in the journal`() {
        for step in Self.steps {
            for case .confirm in step.actions { #expect(step.actions.first == .journal(.signedIn(step.after.epoch))) }
        }
    }

    @Test func `whoever asked for the end is answered when the device is ready, not before`() {
        for step in Self.steps {
            for case .answer(let requesters) in step.actions where !requesters.isEmpty {
                #expect(step.after.state == .ready || step.actions.contains(.journal(.ready(step.before.epoch))))
            }
        }
    }

    @Test func `from every state the device becomes ready when its own steps succeed`() {
        var random = Zeros()
        for step in Self.steps {
            var machine = step.after
            _ = machine.handle(.endWanted(.init(number: 9), .operator), random: &random)
            if case .signingOut(var clearing) = machine.state {
                clearing.waiting = nil
                for item in clearing.items { _ = machine.handle(.itemCleared(item, clearing.ended), random: &random) }
            }
            switch machine.state {
            case .ready, .visiting: break
            case .signedIn, .signingOut: Issue.record("stuck in \(machine.state) after \(step.event)")
            }
        }
    }

    @Test func `a browser that was used is closed before the device is ready`() {
        for step in Self.steps {
            guard case .signingOut(let clearing) = step.after.state, clearing.items.contains(.browser) else { continue }
            if case .signedIn(let visit) = step.before.state {
                #expect(visit.usedBrowser)
                #expect(step.actions.contains(.closeBrowser(clearing.ended)))
            }
        }
        for step in Self.steps {
            guard case .signedIn(let visit) = step.before.state, visit.usedBrowser,
                case .signingOut(let clearing) = step.after.state
            else { continue }
            #expect(clearing.items == [.browser, .files])
        }
    }
}
