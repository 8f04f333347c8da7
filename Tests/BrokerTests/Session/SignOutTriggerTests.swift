// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Testing

/// The properties of triggers, and their names in a receipt.
@Suite struct SignOutTriggerTests {
    @Test func `a sign-out at the device is graceful, one by the organisation or after a fault is not`() {
        let graceful = SignOutTrigger.allCases.filter(\.isGraceful)
        #expect(graceful == [.app, .idle, .shiftEnd, .charger, .dock, .seat, .operator])
    }

    @Test func `observed, reported and unobserved results are distinguished`() {
        let seen = ItemOutcome.broker("files")
        #expect(seen.grade == .enforced && seen.observer == .broker && seen.result == .done)
        #expect(seen.claimed(isObserved: true) == seen)
        let implied = seen.claimed(isObserved: false)
        #expect(implied.grade == .implied && implied.observer == .nobody && implied.result == .done)
        let reported = ItemOutcome.browser
        #expect(reported.grade == .reported && reported.observer == .agent && reported.result == .done)
        #expect(reported.claimed(isObserved: false) == reported)
        #expect(reported.claimed(isObserved: true) == .broker("browser"))
        let told = ItemOutcome.app("org.example", .failed)
        #expect(told.grade == .cooperative && told.observer == .app && told.name == "app:org.example")
        #expect(told.claimed(isObserved: true) == told)
    }

    @Test(arguments: ["ready", "signingIn", "signedIn", "signingOut"])
    func `a journal without an epoch is refused`(state: String) {
        let ended = "1." + String(repeating: "0", count: 32)
        #expect(JournalRecord(bytes: Array(#"{"state":"\#(state)","ended":"\#(ended)"}"#.utf8)) == nil)
    }

    @Test func `a session with the maximum number of apps and erasers is encoded and decoded, and accepts no more`()
        throws
    {
        var random = Zeros()
        var (machine, _) = SessionMachine.recover(from: nil, keyKept: false, random: &random)
        _ = machine.handle(.signInRequested(.init(number: 1, purpose: .worker)), random: &random)
        _ = machine.handle(.signInSucceeded, random: &random)
        let epoch = machine.epoch
        let maximum = SessionMachine.ActiveSession.maximumApps
        let apps = (0..<maximum).map { "\($0)-" + String(repeating: "a", count: 95) }
        for app in apps {
            // Each app has room for all of its erasers, whatever the others have registered.
            for length in 1...HandoverName.maximumCount {
                let eraser = try #require(AppEraser(bundleID: app, name: String(repeating: "a", count: length)))
                #expect(!machine.handle(.eraserEnlisted(eraser, epoch), random: &random).isEmpty)
            }
            #expect(!machine.handle(.dataHolderArrived(app, epoch), random: &random).isEmpty)
        }
        #expect(machine.handle(.eraserEnlisted("another", epoch), random: &random).isEmpty)
        #expect(machine.handle(.dataHolderArrived("another", epoch), random: &random).isEmpty)
        let session = try #require(machine.state.session)
        let erasers = session.erasers
        #expect(erasers.count == maximum * HandoverName.maximumCount)
        let live = JournalRecord.signedIn(epoch, erasers: erasers, dataHolders: session.dataHolders)
        #expect(JournalRecord(bytes: live.bytes) == live)
        let commit = Commit(
            ended: epoch, next: epoch, trigger: .idle, isAttempt: false,
            erasers: Dictionary(uniqueKeysWithValues: erasers.map { ($0, .awaited) }), dataHolders: session.dataHolders)
        #expect(JournalRecord(bytes: JournalRecord.signingOut(commit).bytes) == .signingOut(commit))
        // The journal file's limits allow for that many erasers and apps.
        #expect(JournalRecord.signingOut(commit).bytes.count < 1 << 20)
    }

    @Test func `an app registers sixteen erasers, and its answer is the worst of theirs`() throws {
        var random = Zeros()
        var (machine, _) = SessionMachine.recover(from: nil, keyKept: false, random: &random)
        _ = machine.handle(.signInRequested(.init(number: 1, purpose: .worker)), random: &random)
        _ = machine.handle(.signInSucceeded, random: &random)
        let epoch = machine.epoch
        for number in 0...HandoverName.maximumCount {
            let name = String(repeating: "a", count: min(number, 15)) + (number > 15 ? "b" : "")
            let eraser = try #require(AppEraser(bundleID: "app", name: name))
            let actions = machine.handle(.eraserEnlisted(eraser, epoch), random: &random)
            #expect(actions.isEmpty == (number == HandoverName.maximumCount))
        }
        let answers: [(AppEraser, Commit.Answer)] = [
            ("app:a", .done), ("app:b", .failed), ("app:c", .awaited), ("other:a", .done), ("other:b", .awaited),
            ("third", .done),
        ]
        let commit = Commit(
            ended: epoch, next: epoch, trigger: .idle, isAttempt: false,
            erasers: Dictionary(uniqueKeysWithValues: answers))
        #expect(commit.apps == ["app": .failed, "other": .awaited, "third": .done])
    }
}
