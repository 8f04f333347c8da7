// SPDX-License-Identifier: Apache-2.0
import BrokerDevice
import BrokerProtocol
import BrokerSupervisor
import Testing

/// Invariants about the worker's apps in every state that any order of events can reach.
@Suite struct AppsExploration {
    private let steps: [SessionStep]

    init() async { steps = await SessionStep.everyOne() }

    private var graceful: [SessionStep] {
        steps.filter { if case .ending = $0.before.state { true } else { false } }
    }

    private func isEnd(_ step: SessionStep, by trigger: SignOutTrigger) -> Bool {
        guard case .event(.endWanted(_, trigger)) = step.cause else { return false }
        return true
    }

    @Test func `a session that the organisation ends is over at once, even while apps may save`() {
        let ends = steps.filter { isEnd($0, by: .serverRevocation) && $0.before.state.heldEpoch != nil }
        #expect(!ends.isEmpty)
        for step in ends { #expect(step.after.pending?.ended == step.before.state.heldEpoch) }
        for case .journal(.signingOut(let commit)) in ends.flatMap(\.actions) {
            #expect(commit.trigger == .serverRevocation)
        }
    }

    @Test func `a graceful end is announced to the apps that asked for it, or else committed at once`() {
        for step in steps where isEnd(step, by: .app) {
            guard case .signedIn(let session) = step.before.state else { continue }
            if session.hasListeners {
                #expect(step.actions == [.announceEnd(session.epoch)])
                #expect(step.after.epoch == step.before.epoch && step.after.state.heldEpoch == session.epoch)
            } else {
                #expect(step.after.pending?.ended == session.epoch)
            }
        }
    }

    @Test func `an announced end is committed once every app has saved or the time is over, with its own trigger`() {
        for step in graceful {
            guard case .event(.graceExpired(let epoch)) = step.cause else { continue }
            #expect((step.after.pending != nil) == (epoch == step.before.heldEpoch))
            for case .journal(.signingOut(let commit)) in step.actions { #expect(commit.trigger == .app) }
        }
        #expect(graceful.contains { $0.after.pending != nil })
    }

    @Test func `everybody who requested an announced end is answered`() {
        for step in graceful {
            guard case .ending(_, let ending) = step.before.state, let pending = step.after.pending,
                case .event = step.cause
            else { continue }
            #expect(Array(pending.requesters.prefix(ending.requesters.count)) == ending.requesters)
        }
    }

    @Test func `while apps may save, no browser opens and no other session begins`() {
        for step in graceful {
            for action in step.actions {
                if case .openBrowser = action { Issue.record("a browser opened after \(step.cause)") }
                if case .admit = action { Issue.record("somebody was admitted after \(step.cause)") }
            }
        }
    }

    @Test func `an app with an eraser is in the journal as soon as it has registered`() {
        for step in steps {
            guard let before = step.before.state.session, let after = step.after.state.session,
                before.epoch == after.epoch,
                case .event(let event) = step.cause
            else { continue }
            guard before.apps != after.apps else { continue }
            #expect(event == .appEnlisted(SessionStep.app, after.epoch))
            #expect(step.actions == [.journal(.signedIn(after.epoch, apps: after.apps))])
        }
    }

    @Test func `every app with an eraser is asked to erase, whatever ended the session`() {
        for step in steps {
            for case .journal(.signingOut(let commit)) in step.actions {
                guard let session = step.before.state.session, session.epoch == commit.ended else { continue }
                #expect(commit.apps == Dictionary(uniqueKeysWithValues: session.apps.map { ($0, .awaited) }))
            }
            if let pending = step.after.pending, step.actions.contains(.destroyKey) {
                #expect(
                    step.actions.contains(.awaitApps(pending.ended)) == pending.commit.apps.values.contains(.awaited))
            }
        }
    }

    @Test func `the device is not ready while an app has time left to erase`() {
        for step in steps {
            guard let before = step.before.pending, step.after.pending?.ended != before.ended,
                case .event(let event) = step.cause
            else { continue }
            let isOver = before.isOverdue || event == .appsOverdue(before.ended)
            let answers =
                event == .appAnswered(SessionStep.app, hasErased: true, before.ended)
                || event == .appAnswered(SessionStep.app, hasErased: false, before.ended)
            #expect(isOver || answers || !before.commit.apps.values.contains(.awaited))
        }
    }

    @Test func `an app that has not erased is locked before the receipt with its result is written`() {
        for step in steps {
            guard let before = step.before.pending else { continue }
            for case .writeReceipt(let handover) in step.actions {
                let results = Dictionary(
                    uniqueKeysWithValues: handover.items.filter { $0.observer == .app }.map { ($0.name, $0.result) })
                #expect(Set(results.keys) == Set(before.commit.apps.keys.map { "app:" + $0 }))
                let unerased = results.filter { $0.value != .done }.keys.map { String($0.dropFirst(4)) }
                let expected = unerased.isEmpty ? [] : [SessionAction.lockApps(unerased, before.ended)]
                let locks = step.actions.filter { if case .lockApps = $0 { true } else { false } }
                #expect(locks == expected)
                let first = step.actions.first { if case .journal(.signingOut) = $0 { false } else { true } }
                #expect(first == expected.first ?? .writeReceipt(handover))
            }
        }
    }

    @Test func `an eraser's result is journaled before anything follows, and only for its own epoch`() {
        for step in steps {
            guard case .event(.appAnswered(let app, let hasErased, let epoch)) = step.cause else { continue }
            guard let before = step.before.pending, before.ended == epoch,
                let known = before.commit.apps[app], known != .done
            else {
                #expect(step.actions.isEmpty && step.after == step.before)
                continue
            }
            var commit = before.commit
            commit.apps[app] = hasErased ? .done : .failed
            #expect(step.actions.first == .journal(.signingOut(commit)))
        }
    }

    @Test func `the apps' time ends only by a message about their own epoch`() {
        for step in steps {
            guard let before = step.before.pending, let after = step.after.pending, before.ended == after.ended,
                !before.isOverdue, after.isOverdue, case .event(let event) = step.cause
            else { continue }
            #expect(event == .appsOverdue(before.ended))
        }
    }

    @Test func `messages from apps of another session change nothing`() {
        for step in steps {
            switch step.cause {
            case .event(.listenerArrived(let epoch)), .event(.appEnlisted(_, let epoch)):
                if epoch != step.before.state.heldEpoch { #expect(step.after == step.before && step.actions.isEmpty) }
            default: break
            }
        }
    }

    @Test func `a session whose process died has no apps left to notify`() {
        for step in steps {
            guard case .event(.sessionProcessDied) = step.cause, case .signedIn(let session) = step.after.state else {
                continue
            }
            #expect(!session.hasListeners)
        }
    }

    @Test func `an app that asks to be told counts as a listener, and one that registers an eraser is recorded`() {
        for step in steps {
            guard let held = step.before.state.heldEpoch, case .event(let event) = step.cause else { continue }
            if event == .listenerArrived(held), case .signedIn(let session) = step.after.state {
                #expect(session.hasListeners)
            }
            guard event == .appEnlisted(SessionStep.app, held), let before = step.before.state.session else { continue }
            #expect(step.after.state.session?.apps == before.apps.union([SessionStep.app]))
            #expect(step.actions.isEmpty == before.apps.contains(SessionStep.app))
        }
    }

    @Test func `apps are waited for until their time is over, and no longer`() {
        for step in steps {
            guard let before = step.before.pending, case .event(.appsOverdue(before.ended)) = step.cause else {
                continue
            }
            #expect(step.after.pending?.isOverdue ?? true)
            #expect(step.after.pending?.awaited ?? [] == [])
        }
        for pending in steps.compactMap(\.after.pending) where !pending.isOverdue {
            #expect(pending.awaited == pending.commit.apps.filter { $0.value == .awaited }.keys.sorted())
        }
    }

    @Test func `the receipt contains each app's own report`() {
        for step in steps {
            for case .writeReceipt(let handover) in step.actions {
                guard case .event(let event) = step.cause, let before = step.before.pending else { continue }
                var word = before.commit.apps[SessionStep.app].map { eraser -> ItemOutcome.Result in
                    switch eraser {
                    case .awaited: .unanswered
                    case .done: .done
                    case .failed: .failed
                    }
                }
                if case .appAnswered(SessionStep.app, let hasErased, _) = event { word = hasErased ? .done : .failed }
                let items = handover.items.filter { $0.observer == .app }
                #expect(items == word.map { [.app(SessionStep.app, $0)] } ?? [])
            }
        }
    }
}
