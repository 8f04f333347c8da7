// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
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
            guard before.erasers != after.erasers else { continue }
            #expect(event == .eraserEnlisted(SessionStep.eraser, after.epoch))
            #expect(
                step.actions == [
                    .journal(.signedIn(after.epoch, erasers: after.erasers, dataHolders: after.dataHolders))
                ])
        }
    }

    @Test func `every app with an eraser is asked to erase, whatever ended the session`() {
        for step in steps {
            for case .journal(.signingOut(let commit)) in step.actions {
                guard let session = step.before.state.session, session.epoch == commit.ended else { continue }
                #expect(commit.erasers == Dictionary(uniqueKeysWithValues: session.erasers.map { ($0, .awaited) }))
            }
            if let pending = step.after.pending, step.actions.contains(.destroyKey) {
                #expect(
                    step.actions.contains(.awaitApps(pending.ended)) == pending.commit.erasers.values.contains(.awaited)
                )
            }
        }
    }

    @Test func `the device is not ready while an app has time left to erase`() {
        for step in steps {
            guard let before = step.before.pending, step.after.pending?.ended != before.ended,
                case .event(let event) = step.cause
            else { continue }
            let isOver =
                before.isOverdue || event == .appsOverdue(before.ended) || before.gone == [SessionStep.eraser]
                || event == .erasersGone([SessionStep.eraser], before.ended)
            let answers =
                event == .eraserAnswered(SessionStep.eraser, hasErased: true, before.ended)
                || event == .eraserAnswered(SessionStep.eraser, hasErased: false, before.ended)
            #expect(isOver || answers || !before.commit.erasers.values.contains(.awaited))
        }
    }

    @Test func `an app that has not erased is locked before the receipt with its result is written`() {
        for step in steps {
            guard let before = step.before.pending else { continue }
            for case .writeReceipt(let handover) in step.actions {
                let results = Dictionary(
                    uniqueKeysWithValues: handover.items.filter { $0.name.hasPrefix("app:") }.map {
                        ($0.name, $0.result)
                    })
                let apps = Set(before.commit.apps.keys).union(before.taking?.apps ?? [])
                #expect(Set(results.keys) == Set(apps.map { "app:" + $0 }))
                let unerased = results.filter { $0.value != .done }.keys.compactMap { name in
                    let app = String(name.dropFirst(4))
                    return before.commit.apps[app] == nil ? AppEraser.whole(app) : AppEraser(rawValue: app)
                }
                let expected = unerased.isEmpty ? [] : [SessionAction.lock(unerased, before.ended)]
                let locks = step.actions.filter { if case .lock = $0 { true } else { false } }
                #expect(locks == expected)
                let first = step.actions.first { if case .journal(.signingOut) = $0 { false } else { true } }
                #expect(first == expected.first ?? .writeReceipt(handover))
            }
        }
    }

    @Test func `an eraser's result is journaled before anything follows, and only for its own epoch`() {
        for step in steps {
            guard case .event(.eraserAnswered(let eraser, let hasErased, let epoch)) = step.cause else { continue }
            guard let before = step.before.pending, before.ended == epoch,
                let known = before.commit.erasers[eraser], known != .done
            else {
                #expect(step.actions.isEmpty && step.after == step.before)
                continue
            }
            var commit = before.commit
            commit.erasers[eraser] = hasErased ? .done : .failed
            #expect(step.actions.first == .journal(.signingOut(commit)))
        }
    }

    @Test func `an eraser loses its processes only by a message about its own epoch, and only then is not waited for`()
    {
        var count = 0
        for step in steps {
            guard let before = step.before.pending, let after = step.after.pending, before.ended == after.ended,
                case .event(let event) = step.cause, before.gone != after.gone
            else { continue }
            #expect(event == .erasersGone([SessionStep.eraser], before.ended))
            #expect(after.awaited.isEmpty && after.commit.erasers == before.commit.erasers)
            count += 1
        }
        #expect(count > 0)
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
            case .event(.listenerArrived(let epoch)), .event(.eraserEnlisted(_, let epoch)):
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
            guard event == .eraserEnlisted(SessionStep.eraser, held), let before = step.before.state.session else {
                continue
            }
            #expect(step.after.state.session?.erasers == before.erasers.union([SessionStep.eraser]))
            #expect(step.actions.isEmpty == before.erasers.contains(SessionStep.eraser))
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
            let awaited = pending.commit.erasers.filter { $0.value == .awaited && !pending.gone.contains($0.key) }
            #expect(pending.awaited == awaited.keys.map(\.bundleID).sorted())
        }
    }

    @Test func `the receipt contains each app's own report`() {
        for step in steps {
            for case .writeReceipt(let handover) in step.actions {
                guard case .event(let event) = step.cause, let before = step.before.pending else { continue }
                var word = before.commit.erasers[SessionStep.eraser].map { answer -> ItemOutcome.Result in
                    switch answer {
                    case .awaited: .unanswered
                    case .done: .done
                    case .failed: .failed
                    }
                }
                if case .eraserAnswered(SessionStep.eraser, let hasErased, _) = event {
                    word = hasErased ? .done : .failed
                }
                var taking = before.taking
                if case .dataTaken(let taken, let failed, _, before.ended) = event, taking?.taken == nil {
                    taking?.taken = taken
                    taking?.failed = failed
                }
                let app = SessionStep.eraser.bundleID
                let expected: ItemOutcome? =
                    if word == .done {
                        .app(app, .done)
                    } else if let taking {
                        // In that case the receipt says what the agent did, and not that the app did nothing.
                        taking.taken == [app]
                            ? .data(of: app, .done)
                            : taking.failed == [app] ? .data(of: app, .failed) : .app(app, word ?? .unanswered)
                    } else { word.map { .app(app, $0) } }
                #expect(handover.items.filter { $0.name == "app:" + app } == [expected].compactMap(\.self))
            }
        }
    }

    // MARK: Folders of data

    @Test func `an app with folders that has not erased is not passed over before the device is ready`() {
        var count = 0
        for step in steps {
            guard let before = step.before.pending, !before.commit.dataHolders.isEmpty,
                step.actions.contains(where: { if case .writeReceipt = $0 { true } else { false } })
            else { continue }
            var commit = before.commit
            if case .event(.eraserAnswered(let eraser, hasErased: true, _)) = step.cause {
                commit.erasers[eraser] = .done
            }
            var isAnswered = before.taking?.taken != nil
            if case .event(.dataTaken(_, _, _, before.ended)) = step.cause { isAnswered = true }
            #expect(isAnswered || commit.erased == before.commit.dataHolders, "\(step.cause) \(before)")
            count += isAnswered ? 1 : 0
        }
        #expect(count > 0)
    }

    @Test func `an app with folders is in the journal before it is given anything, until the end is over`() {
        for step in steps {
            if let before = step.before.state.session, let after = step.after.state.session,
                before.epoch == after.epoch, before.dataHolders != after.dataHolders,
                case .event(let event) = step.cause
            {
                #expect(event == .dataHolderArrived(SessionStep.eraser.bundleID, after.epoch))
                #expect(
                    step.actions == [
                        .journal(.signedIn(after.epoch, erasers: after.erasers, dataHolders: after.dataHolders))
                    ])
            }
            if let held = step.before.state.heldEpoch, let before = step.before.state.session,
                case .event(.dataHolderArrived(let app, held)) = step.cause
            {
                #expect(step.after.state.session?.dataHolders == before.dataHolders.union([app]))
            }
            for case .journal(.signingOut(let commit)) in step.actions {
                if let session = step.before.state.session, session.epoch == commit.ended {
                    #expect(commit.dataHolders == session.dataHolders)
                }
                if let pending = step.before.pending { #expect(commit.dataHolders == pending.commit.dataHolders) }
            }
        }
    }

    @Test func `the agent takes data only of a worker's session, once, and after the apps' time to erase`() {
        for step in steps {
            for case .takeData(let apps, let ended) in step.actions {
                #expect(apps == [SessionStep.eraser.bundleID])
                guard let before = step.before.pending, let after = step.after.pending else {
                    Issue.record("data is taken in \(step.before.state)")
                    continue
                }
                #expect(before.taking == nil && after.taking?.taken == nil && after.taking?.apps == Set(apps))
                #expect(ended == after.ended && !after.commit.isAttempt && after.awaited.isEmpty)
                // The agent has already cleared the browser, so an agent is connected.
                #expect(!after.items.contains(.browser) && after.toTake == apps)
                #expect(after.commit.erased.isDisjoint(with: apps))
                #expect(step.actions.count <= 2)
            }
        }
    }

    @Test func `the agent's first answer counts, and only for its own epoch`() {
        for step in steps {
            guard case .event(.dataTaken(let apps, let failed, _, let epoch)) = step.cause else { continue }
            guard let before = step.before.pending, before.ended == epoch, let taking = before.taking,
                taking.taken == nil
            else {
                #expect(step.actions.isEmpty && step.after == step.before)
                continue
            }
            if let after = step.after.pending, after.ended == epoch {
                #expect(after.taking?.taken == apps && after.taking?.failed == failed)
            }
        }
    }
}
