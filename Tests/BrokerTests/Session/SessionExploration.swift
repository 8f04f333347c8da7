// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Testing

/// Invariants in every state that any order of events can reach. `scripts/mutations/run` removes each guard of the
/// machine in turn (`mutations.toml` in this folder) and expects these tests to fail.
@Suite struct SessionExploration {
    private let steps: [SessionStep]

    init() async { steps = await SessionStep.everyOne() }

    @Test func `the exploration reaches every kind of state`() {
        let names = Set(steps.map(\.after.kind))
        #expect(names == ["ready", "signingIn", "signedIn", "ending", "signingOut"])
        #expect((300..<SessionStep.maximum).contains(steps.count))
    }

    @Test func `nobody is admitted while another worker has the device or while traces are left`() {
        for step in steps {
            let admitted = step.actions.filter { if case .admit = $0 { true } else { false } }
            guard !admitted.isEmpty else { continue }
            #expect(admitted.count == 1)
            switch step.before.state {
            case .ready: break
            case .signingOut:
                // This step removes the last trace. Before the next session begins, the journal records that the device
                // is ready.
                let ready = step.actions.firstIndex(of: .journal(.ready(step.before.epoch)))
                let admitted = step.actions.firstIndex { if case .admit = $0 { true } else { false } }
                #expect((ready ?? .max) < (admitted ?? -1))
            case .signingIn, .signedIn, .ending: Issue.record("admitted in \(step.before.state)")
            }
        }
    }

    @Test func `a session is replaced only after its end was committed`() {
        for step in steps {
            guard let held = step.before.heldEpoch, step.after.heldEpoch != held else { continue }
            #expect(step.actions.first?.isCommit(of: held, next: step.after.epoch) == true)
        }
    }

    @Test func `an administrator who joins the device never becomes its worker`() {
        for step in steps {
            guard case .signingIn(_, let requestID) = step.before.state, case .signedIn = step.after.state else {
                continue
            }
            #expect(requestID.purpose == .worker)
        }
    }

    @Test func `a sign-in that fails ends itself and no session`() {
        for step in steps {
            guard case .event(.signInFailed) = step.cause, case .signedIn = step.before.state else { continue }
            #expect(step.after == step.before && step.actions.isEmpty)
        }
    }

    @Test func `every end is committed before anything is destroyed, and then everything is destroyed`() {
        for step in steps {
            guard let pending = step.after.pending, pending.ended != step.before.pending?.ended else { continue }
            #expect(step.actions.contains(.destroyKey), "\(step.actions)")
        }
        for step in steps where step.actions.contains(.destroyKey) {
            guard let pending = step.after.pending else {
                Issue.record("a key destroyed without an end in \(step.actions)")
                continue
            }
            if step.before.pending == nil {
                #expect(step.actions.first?.isCommit(of: pending.ended, next: step.after.epoch) == true)
                #expect(step.after.epoch.counter > pending.ended.counter)
            }
            #expect(step.actions.contains(.endSessionProcess))
            #expect(step.actions.contains(.clearFiles(pending.ended)))
        }
    }

    @Test func `an epoch's counter is never used again`() {
        for step in steps { #expect(step.after.epoch.counter >= step.before.epoch.counter) }
        for step in steps where step.after.epoch != step.before.epoch {
            #expect(step.after.epoch.counter > step.before.epoch.counter)
        }
        for step in steps {
            guard let visitor = step.after.heldEpoch, step.before.heldEpoch == nil else { continue }
            #expect(visitor.counter > step.before.epoch.counter)
        }
    }

    @Test func `nothing is confirmed before it is in the journal`() {
        for step in steps {
            for case .confirm in step.actions {
                #expect(step.actions.first == .journal(.signedIn(step.after.epoch, erasers: [])))
            }
        }
    }

    @Test func `a receipt for the committed sign-out is written directly before the journal says ready`() {
        for step in steps {
            let receipts = step.actions.enumerated().filter { if case .writeReceipt = $1 { true } else { false } }
            let journaled = step.actions.firstIndex { if case .journal(.ready) = $0 { true } else { false } }
            guard let before = step.before.pending else {
                #expect(receipts.isEmpty)
                continue
            }
            #expect(receipts.map { $0.offset + 1 } == [journaled].compactMap(\.self))
            guard case .event = step.cause else { continue }
            #expect(receipts.isEmpty == (step.after.pending?.ended == before.ended))
            for case .writeReceipt(let handover) in receipts.map(\.element) {
                #expect(handover.ended == before.ended && handover.next == step.before.epoch)
                #expect(handover.trigger == before.commit.trigger && handover.isAttempt == before.commit.isAttempt)
                #expect(handover.items.map(\.name).contains("browser") == before.usedBrowser)
            }
        }
    }

    @Test func `an end counts as an attempt exactly if nobody had signed in`() {
        for step in steps {
            for case .journal(.signingOut(let commit)) in step.actions {
                switch step.before.state {
                case .signingIn: #expect(commit.isAttempt)
                case .signedIn, .ending: #expect(!commit.isAttempt)
                // An app has answered: the same commit is written again.
                case .signingOut(let pending): #expect(commit.isAttempt == pending.commit.isAttempt)
                case .ready: Issue.record("a commit in \(step.before.state)")
                }
            }
        }
    }

    @Test func `the requester of a sign-out is answered when the device is ready, not before`() {
        for step in steps {
            for case .answer(let requesters) in step.actions where !requesters.isEmpty {
                #expect(step.after.state == .ready || step.actions.contains(.journal(.ready(step.before.epoch))))
            }
        }
    }

    @Test func `a sign-in request is admitted, refused or queued, and is not lost while its process runs`() {
        for step in steps {
            guard case .event(let event) = step.cause else { continue }
            let settled = step.actions.compactMap { action -> SessionMachine.SignInRequestID? in
                switch action {
                case .admit(let requestID, _), .refuse(let requestID, _): requestID
                default: nil
                }
            }
            let waiting = step.after.pending?.waiting
            if case .signInRequested(let requestID) = event {
                #expect(settled.contains(requestID) || waiting == requestID)
            }
            if let before = step.before.pending?.waiting, event != .sessionProcessDied {
                #expect(settled.contains(before) || waiting == before)
            }
            // Only requests that were made now or were waiting are answered.
            for requestID in settled {
                #expect(event == .signInRequested(requestID) || step.before.pending?.waiting == requestID)
            }
            if case .signInTimedOut = event, !settled.isEmpty { #expect(waiting == nil) }
        }
    }

    @Test func `a request to a process that died is dropped`() {
        for step in steps {
            guard case .event(.sessionProcessDied) = step.cause else { continue }
            #expect(step.after.pending?.waiting == nil)
        }
    }

    @Test func `a trace counts as gone only by a message about its own epoch`() {
        for step in steps {
            guard let before = step.before.pending, case .event(let event) = step.cause else { continue }
            let left = step.after.pending?.ended == before.ended ? step.after.pending?.items ?? [] : []
            for item in before.items.subtracting(left) { #expect(event == .itemCleared(item, before.ended)) }
        }
    }

    @Test func `a session process is restarted only a limited number of times`() {
        for step in steps {
            guard case .signedIn(let session) = step.after.state else { continue }
            #expect(session.restarts <= SessionMachine.ActiveSession.maximumRestarts)
        }
    }

    @Test func `from every state the device becomes ready when its own steps succeed`() {
        var random = Zeros()
        for step in steps {
            var machine = step.after
            _ = machine.handle(.endWanted(.init(number: 9), .operator), random: &random)
            if let held = machine.heldEpoch { _ = machine.handle(.graceExpired(held), random: &random) }
            if let pending = machine.pending {
                for item in pending.items { _ = machine.handle(.itemCleared(item, pending.ended), random: &random) }
                _ = machine.handle(.appsOverdue(pending.ended), random: &random)
                _ = machine.handle(.dataTaken([], failed: [], pending.ended), random: &random)
            }
            switch machine.state {
            case .ready, .signingIn: break
            case .signedIn, .ending, .signingOut: Issue.record("stuck in \(machine.state) after \(step.cause)")
            }
        }
    }

    @Test func `a browser that was opened is closed before the device is ready`() {
        for step in steps {
            let opened = step.actions.contains { if case .openBrowser = $0 { true } else { false } }
            guard opened else { continue }
            #expect(step.after.state.session?.usedBrowser == true, "a browser opened in \(step.after.state)")
        }
        for step in steps {
            guard let session = step.before.state.session, session.usedBrowser, let pending = step.after.pending
            else { continue }
            #expect(pending.items == [.browser, .files])
            #expect(step.actions.contains(.closeBrowser(pending.ended)))
        }
    }

    @Test func `an agent that connects is told to close exactly what is not closed yet`() {
        for step in steps {
            guard case .event(.agentArrived) = step.cause else { continue }
            let pending = step.before.pending
            let expected = pending.map {
                $0.items.contains(.browser) ? [SessionAction.closeBrowser($0.ended)] : []
            }
            #expect(step.actions == expected ?? [])
        }
    }

    @Test func `a restart continues only a session that was live and whose key was kept`() {
        for step in steps {
            guard case .restart(let keyKept) = step.cause, let held = step.after.heldEpoch else { continue }
            #expect(keyKept && step.before.heldEpoch == held)
            guard step.before.state.heldEpoch != nil else {
                Issue.record("\(step.before.state) was taken for a session")
                continue
            }
        }
    }

    @Test func `a process that serves the apps always exists`() {
        for step in steps {
            guard case .event(.sessionProcessDied) = step.cause else { continue }
            let next = step.after.epoch
            let isResumed = step.after.state.heldEpoch == next
            #expect(
                step.actions.contains(.startSessionProcess(next, resuming: isResumed))
                    || !isResumed && step.actions.contains(.restartSessionProcess(next)),
                "nobody serves after \(step.before.state)")
        }
        for step in steps {
            guard case .restart = step.cause else { continue }
            #expect(
                step.actions.contains(
                    .startSessionProcess(step.after.epoch, resuming: step.after.state.heldEpoch != nil)))
        }
    }

    @Test func `a session that continues after a restart may have left a browser`() {
        for step in steps {
            guard case .restart = step.cause, let session = step.after.state.session else { continue }
            #expect(session.usedBrowser)
        }
        for step in steps {
            guard case .restart = step.cause, let pending = step.after.pending else { continue }
            #expect(pending.items == [.browser, .files] && step.actions.contains(.closeBrowser(pending.ended)))
        }
    }

    @Test func `a worker has the device from the sign-in to the commit, even if the end was announced`() {
        for step in steps {
            switch step.after.state {
            case .ready, .signingIn, .signingOut: #expect(step.after.state.heldEpoch == nil)
            case .signedIn(let session), .ending(let session, _):
                #expect(step.after.state.heldEpoch == session.epoch && step.after.epoch == session.epoch)
            }
        }
    }

    @Test func `everybody who requests the end is answered`() {
        for step in steps {
            guard case .event(.endWanted(let requester, _)) = step.cause else { continue }
            switch step.after.state {
            case .ready: #expect(step.actions == [.answer([requester])])
            case .ending(_, let ending): #expect(ending.requesters.last == requester)
            case .signingOut(let pending): #expect(pending.requesters.last == requester)
            case .signingIn, .signedIn: Issue.record("the end was asked for in \(step.before.state), and did not come")
            }
        }
    }
}
