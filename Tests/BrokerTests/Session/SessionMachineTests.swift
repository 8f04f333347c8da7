// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import SessionIPC
import Testing

@Suite struct SessionMachineTests {
    private typealias Machine = SessionMachine
    private var random = Zeros()
    private let worker = Machine.SignInRequestID(number: 1, purpose: .worker)
    private let nextWorker = Machine.SignInRequestID(number: 2, purpose: .worker)

    /// Returns a machine after `events`, and the actions of the last one.
    private mutating func machine(after events: Machine.Event...) -> (Machine, [SessionAction]) {
        var (machine, actions) = Machine.recover(from: nil, keyKept: false, random: &random)
        for event in events { actions = machine.handle(event, random: &random) }
        return (machine, actions)
    }

    private func epoch(_ counter: UInt64) throws -> Epoch {
        Epoch(id: try #require(Epoch.ID(String(repeating: "0", count: 32))), counter: counter)
    }

    @Test mutating func `a new device is ready, and one process waits for the first worker`() throws {
        let (machine, actions) = machine()
        #expect(machine.state == .ready)
        #expect(actions == [.journal(.ready(try epoch(1))), .startSessionProcess(try epoch(1), resuming: false)])
    }

    @Test mutating func `a worker is admitted to an epoch after it is in the journal`() throws {
        let (_, actions) = machine(after: .signInRequested(worker))
        #expect(actions == [.journal(.signingIn(try epoch(2))), .makeKey, .admit(worker, try epoch(2))])
    }

    @Test mutating func `a sign-in is confirmed only after it is in the journal`() throws {
        let (machine, actions) = machine(after: .signInRequested(worker), .signInSucceeded)
        #expect(machine.epoch == (try epoch(2)))
        #expect(actions == [.journal(.signedIn(try epoch(2), erasers: [])), .confirm(worker)])
    }

    @Test mutating func `a sign-out is committed first, then the key goes, then the process, then the rest`() throws {
        let requester = Machine.Requester(number: 1)
        let (machine, actions) = machine(
            after: .signInRequested(worker), .browserWanted(url: "http://127.0.0.1:1/x"), .signInSucceeded,
            .endWanted(requester, .app))
        let ended = try epoch(2)
        let next = try epoch(3)
        #expect(machine.epoch == next)
        #expect(
            actions == [
                .journal(.signingOut(Commit(ended: ended, next: next, trigger: .app, isAttempt: false))), .destroyKey,
                .endSessionProcess,
                .startSessionProcess(next, resuming: false), .closeBrowser(ended), .clearFiles(ended),
            ])
    }

    @Test mutating func `the device is ready, and reports it, once the last trace is cleared`() throws {
        let requester = Machine.Requester(number: 1)
        var (machine, _) = machine(
            after: .signInRequested(worker), .browserWanted(url: "http://127.0.0.1:1/x"), .signInSucceeded,
            .endWanted(requester, .app))
        let ended = try epoch(2)
        let afterFiles = machine.handle(.itemCleared(.files, ended), random: &random)
        #expect(afterFiles == [])
        let afterAnOlderWord = machine.handle(.itemCleared(.browser, try epoch(1)), random: &random)
        #expect(afterAnOlderWord == [])
        let afterBrowser = machine.handle(.itemCleared(.browser, ended), random: &random)
        let receipt = HandoverOutcome(
            ended: ended, next: try epoch(3), trigger: .app, isAttempt: false,
            items: [.sessionKey, .sessionProcess, .browser, .files])
        #expect(afterBrowser == [.writeReceipt(receipt), .journal(.ready(try epoch(3))), .answer([requester])])
    }

    @Test mutating func `the next worker may request a sign-in during a clean-up, and begins after it`() throws {
        var (machine, _) = machine(
            after: .signInRequested(worker), .signInSucceeded, .endWanted(.init(number: 1), .app))
        let asked = machine.handle(.signInRequested(nextWorker), random: &random)
        #expect(asked == [])
        let actions = machine.handle(.itemCleared(.files, try epoch(2)), random: &random)
        #expect(actions.last == .admit(nextWorker, try epoch(4)))
    }

    @Test mutating func `nobody signs in over another worker`() {
        let (_, whileSigningIn) = machine(after: .signInRequested(worker), .signInRequested(nextWorker))
        #expect(whileSigningIn == [.refuse(nextWorker, .anotherSignIn)])
        let (_, whileSignedIn) = machine(
            after: .signInRequested(worker), .signInSucceeded, .signInRequested(nextWorker))
        #expect(whileSignedIn == [.refuse(nextWorker, .occupied)])
    }

    @Test mutating func `a session process that dies is restarted with its key, a limited number of times`() throws {
        var (machine, _) = machine(after: .signInRequested(worker), .signInSucceeded)
        for _ in 0..<Machine.ActiveSession.maximumRestarts {
            let actions = machine.handle(.sessionProcessDied, random: &random)
            #expect(actions == [.startSessionProcess(try epoch(2), resuming: true)])
        }
        let actions = machine.handle(.sessionProcessDied, random: &random)
        let commit = Commit(ended: try epoch(2), next: try epoch(3), trigger: .processLost, isAttempt: false)
        #expect(actions.first == .journal(.signingOut(commit)))
    }

    @Test mutating func `a process that dies during a sign-in ends the attempt`() throws {
        var (machine, _) = machine(after: .signInRequested(worker))
        let actions = machine.handle(.sessionProcessDied, random: &random)
        let commit = Commit(ended: try epoch(2), next: try epoch(3), trigger: .processLost, isAttempt: true)
        #expect(actions.first == .journal(.signingOut(commit)))
    }

    @Test mutating func `everybody who requests the end while apps save is answered at the end`() throws {
        let requesters = [Machine.Requester(number: 1), .init(number: 2)]
        var (machine, _) = machine(after: .signInRequested(worker), .signInSucceeded, .listenerArrived(try epoch(2)))
        for requester in requesters { _ = machine.handle(.endWanted(requester, .app), random: &random) }
        _ = machine.handle(.graceExpired(try epoch(2)), random: &random)
        let actions = machine.handle(.itemCleared(.files, try epoch(2)), random: &random)
        #expect(actions.last == .answer(requesters))
    }

    @Test mutating func `a restart without the key ends the session that was live`() throws {
        for record in [JournalRecord.signingIn(try epoch(5)), .signedIn(try epoch(5), erasers: [])] {
            let (machine, actions) = Machine.recover(from: record, keyKept: false, random: &random)
            #expect(machine.epoch == (try epoch(6)))
            let commit = Commit(
                ended: try epoch(5), next: try epoch(6), trigger: .supervisorLost,
                isAttempt: record == .signingIn(try epoch(5)))
            #expect(actions.first == .journal(.signingOut(commit)))
            #expect(actions.contains(.clearFiles(try epoch(5))))
            #expect(actions.contains(.closeBrowser(try epoch(5))))
        }
    }

    @Test mutating func `a session continues only if its key was kept and it was live`() throws {
        let (machine, actions) = Machine.recover(
            from: .signedIn(try epoch(5), erasers: []), keyKept: true, random: &random)
        #expect(machine.epoch == (try epoch(5)))
        #expect(actions == [.startSessionProcess(try epoch(5), resuming: true)])
        let commit = Commit(ended: try epoch(5), next: try epoch(6), trigger: .app, isAttempt: false)
        for record in [JournalRecord.signingIn(try epoch(5)), .signingOut(commit)] {
            let (machine, actions) = Machine.recover(from: record, keyKept: true, random: &random)
            #expect(machine.epoch == (try epoch(6)))
            #expect(actions.contains(.destroyKey))
        }
    }

    @Test mutating func `a restart finishes a committed sign-out, with the same next epoch`() throws {
        let record = JournalRecord.signingOut(
            Commit(ended: try epoch(5), next: try epoch(6), trigger: nil, isAttempt: false))
        var (machine, actions) = Machine.recover(from: record, keyKept: false, random: &random)
        #expect(machine.epoch == (try epoch(6)))
        #expect(actions.contains(.clearFiles(try epoch(5))))
        _ = machine.handle(.itemCleared(.browser, try epoch(5)), random: &random)
        actions = machine.handle(.itemCleared(.files, try epoch(5)), random: &random)
        let receipt = HandoverOutcome(
            ended: try epoch(5), next: try epoch(6), trigger: nil, isAttempt: false,
            items: [.sessionKey, .sessionProcess, .browser, .files])
        #expect(actions.prefix(2) == [.writeReceipt(receipt), .journal(.ready(try epoch(6)))])
    }

    @Test mutating func `the receipt of a failed sign-in says so, and names the trigger`() throws {
        var (machine, _) = machine(after: .signInRequested(worker), .signInFailed)
        let actions = machine.handle(.itemCleared(.files, try epoch(2)), random: &random)
        let receipt = HandoverOutcome(
            ended: try epoch(2), next: try epoch(3), trigger: .attemptFailed, isAttempt: true,
            items: [.sessionKey, .sessionProcess, .files])
        #expect(actions == [.writeReceipt(receipt), .journal(.ready(try epoch(3))), .answer([])])
    }

    @Test mutating func `an agent that connects late is told what to close`() throws {
        var (machine, _) = machine(
            after: .signInRequested(worker), .browserWanted(url: "http://127.0.0.1:1/x"), .signInFailed)
        let actions = machine.handle(.agentArrived, random: &random)
        #expect(actions == [.closeBrowser(try epoch(2))])
    }

    @Test(arguments: [JournalRecord.Shape.ready, .signingIn, .signedIn, .signingOut])
    func `a journal record is decoded as it was encoded`(shape: JournalRecord.Shape) throws {
        let record = try shape.record(epoch(7), epoch(8))
        #expect(JournalRecord(bytes: record.bytes) == record)
    }

    /// Clears the session or sign-in attempt that left `machine` signing out, and returns the steps.
    private func cleared(_ machine: inout SessionMachine, _ ended: Epoch) -> [SessionAction] {
        var random = Zeros()
        return [.browser, .files].flatMap { machine.handle(.itemCleared($0, ended), random: &random) }
    }

    @Test func `the data of an app that an earlier session keeps locked is taken after the next session`() throws {
        var (machine, _) = SessionMachine.recover(
            from: .signedIn(try epoch(5), erasers: []), keyKept: false, newID: try epoch(6).id)
        machine.owingApps = ["old"]
        let steps = cleared(&machine, try epoch(5))
        #expect(steps.contains(.takeData(["old"], try epoch(5))))
        var random = Zeros()
        // The app is already locked because of an earlier session.
        let last = machine.handle(.dataTaken([], failed: ["old"], try epoch(5)), random: &random)
        #expect(!last.contains { if case .lock = $0 { true } else { false } })
        #expect(machine.kind == "ready")
    }

    @Test(arguments: [true, false])
    func `an app of which a process goes on is locked, although it has erased, unless the agent ends it`(
        isEnded: Bool
    ) throws {
        var random = Zeros()
        var (machine, _) = SessionMachine.recover(
            from: .signedIn(try epoch(5), erasers: ["app"], dataHolders: ["app"]), keyKept: true,
            newID: try epoch(6).id)
        _ = machine.handle(.endWanted(.init(number: 1), .serverRevocation), random: &random)
        _ = cleared(&machine, try epoch(5))
        machine.lingeringApps = ["app"]
        let answered = machine.handle(.eraserAnswered("app", hasErased: true, try epoch(5)), random: &random)
        #expect(answered.contains(.takeData(["app"], try epoch(5))))
        let last = machine.handle(
            .dataTaken(isEnded ? ["app"] : [], failed: isEnded ? [] : ["app"], try epoch(5)), random: &random)
        #expect(last.contains(.lock([.whole("app")], try epoch(5))) == !isEnded)
        #expect(machine.kind == "ready")
    }

    @Test func `an app without folders is locked by its erasers alone, after its process has been ended`() throws {
        var random = Zeros()
        var (machine, _) = SessionMachine.recover(
            from: .signedIn(try epoch(5), erasers: ["app"]), keyKept: true, newID: try epoch(6).id)
        _ = machine.handle(.endWanted(.init(number: 1), .serverRevocation), random: &random)
        _ = cleared(&machine, try epoch(5))
        machine.lingeringApps = ["app"]
        let overdue = machine.handle(.appsOverdue(try epoch(5)), random: &random)
        #expect(overdue.contains(.takeData(["app"], try epoch(5))))
        let last = machine.handle(.dataTaken([], failed: [], try epoch(5)), random: &random)
        #expect(last.first == .lock(["app"], try epoch(5)))
    }

    @Test func `a sign-in that failed takes no app's data`() throws {
        var (machine, _) = SessionMachine.recover(
            from: .signingIn(try epoch(5)), keyKept: false, newID: try epoch(6).id)
        machine.owingApps = ["old"]
        _ = cleared(&machine, try epoch(5))
        #expect(machine.kind == "ready")
    }

    @Test func `an eraser whose processes have ended is not waited for, and the clock is asked all the same`() throws {
        var random = Zeros()
        var (machine, _) = SessionMachine.recover(
            from: .signedIn(try epoch(5), erasers: ["app"], dataHolders: ["app"]), keyKept: true,
            newID: try epoch(6).id)
        let steps = machine.handle(.endWanted(.init(number: 1), .serverRevocation), random: &random)
        #expect(steps.contains(.awaitApps(try epoch(5))))
        #expect(machine.handle(.erasersGone(["app"], try epoch(5)), random: &random).isEmpty)
        #expect(cleared(&machine, try epoch(5)).contains(.takeData(["app"], try epoch(5))))
    }

    @Test func `a journal of the first version is read`() throws {
        let text =
            #"{"state":"signingOut","ended":"1.00000000000000000000000000000000","epoch":"2.00000000000000000000000000000000"}"#
        let commit = Commit(ended: try epoch(1), next: try epoch(2), trigger: nil, isAttempt: false)
        #expect(JournalRecord(bytes: Array(text.utf8)) == .signingOut(commit))
    }

    @Test(arguments: [
        "", "{}", "ready", #"{"state":"ready"}"#, #"{"state":"idle","epoch":"1.00000000000000000000000000000000"}"#,
        #"{"state":"signingOut","epoch":"1.00000000000000000000000000000000"}"#, #"{"state":"ready","epoch":"1.0"}"#,
        #"{"state":"signingOut","ended":"1.00000000000000000000000000000000","epoch":"2.00000000000000000000000000000000","trigger":"cat-flap"}"#,
        #"{"state":"signingOut","ended":"1.00000000000000000000000000000000","epoch":"2.00000000000000000000000000000000","attempt":1}"#,
        #"{"state":"signingOut","ended":"1.00000000000000000000000000000000","epoch":"2.00000000000000000000000000000000","apps":{"a":"x"}}"#,
        #"{"state":"signedIn","epoch":"2.00000000000000000000000000000000","apps":[1]}"#,
    ])
    func `a damaged journal is rejected`(text: String) {
        #expect(JournalRecord(bytes: Array(text.utf8)) == nil)
    }
}

extension JournalRecord {
    enum Shape: Sendable {
        case ready, signingIn, signedIn, signingOut

        func record(_ epoch: Epoch, _ next: Epoch) -> JournalRecord {
            switch self {
            case .ready: .ready(epoch)
            case .signingIn: .signingIn(epoch)
            case .signedIn: .signedIn(epoch, erasers: ["a", "b:notes"], dataHolders: ["a", "c"])
            case .signingOut:
                .signingOut(
                    Commit(
                        ended: epoch, next: next, trigger: .serverRevocation, isAttempt: true,
                        erasers: ["a": .awaited, "b:notes": .done, "b:cache": .failed]))
            }
        }
    }
}

/// A generator without randomness: epochs differ only in their counters.
struct Zeros: RandomNumberGenerator, Sendable {
    // A stored property is needed: under ThreadSanitizer the compiler passes an invalid address for an `inout` value of
    // size zero, and the program crashes.
    private let zero: UInt64 = 0

    mutating func next() -> UInt64 { zero }
}
