// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Testing
import WebPages

@testable import HomeScreen

@Suite struct HomeModelTests {
    private static let ada = HomeModel.Account.worker(HomeModel.Worker(name: "Ada", username: "ada@x.test"))

    private static func state(_ stage: DeviceState.Stage) -> HomeModel.Event {
        .device(DeviceState(stage: stage, reason: "shared", hasAgent: true))
    }

    /// A model after these events, and the actions that the last event caused.
    private static func model(_ events: HomeModel.Event...) -> (model: HomeModel, actions: [HomeModel.Action]) {
        var (model, actions) = (HomeModel(), [HomeModel.Action]())
        for event in events { actions = model.handle(event) }
        return (model, actions)
    }

    @Test("one touch signs in, and a second one while the page is open does nothing")
    func signIn() {
        #expect(Self.model(Self.state(.ready), .signInTouched(.polish)).actions == [.signIn(.polish)])
        #expect(Self.model(Self.state(.ready), .signInTouched(.polish), .signInTouched(.polish)).actions == [])
        #expect(Self.model(Self.state(.signingOut), .signInTouched(.polish)).actions == [])
    }

    @Test("one touch hands over, and a second one does nothing")
    func handover() {
        #expect(Self.model(Self.state(.signedIn), .handoverTouched).actions == [.signOut])
        #expect(Self.model(Self.state(.signedIn), .handoverTouched, .handoverTouched).actions == [])
        #expect(Self.model(Self.state(.ready), .handoverTouched).actions == [])
    }

    @Test("a touch on Hand over during a sign-in cancels the sign-in, once")
    func handoverDuringSignIn() {
        let start: [HomeModel.Event] = [Self.state(.ready), .signInTouched(.polish), Self.state(.signingIn)]
        #expect(Self.model(start[0], start[1], start[2], .handoverTouched).actions == [.cancelSignIn])
        #expect(Self.model(start[0], start[1], start[2], .handoverTouched, .cancelTouched).actions == [])
        let after = Self.model(
            start[0], start[1], start[2], .handoverTouched, .signInEnded(isSignedIn: false, wasCancelled: true))
        #expect(after.model.notice == nil && after.model.activity == .none)
    }

    @Test(
        "nothing of the worker stays on the screen once nobody holds the device",
        arguments: [DeviceState.Stage.signingOut, .ready, .quarantined])
    func nothingStays(stage: DeviceState.Stage) {
        let model = Self.model(
            Self.state(.signedIn), .account(Self.ada), .tileTouched(0), .tile(0, .running), Self.state(stage)
        ).model
        #expect(model.account == .nobody && model.tiles.isEmpty)
    }

    @Test("programs may erase until the device is ready, and are ended then")
    func programs() {
        let open: [HomeModel.Event] = [Self.state(.signedIn), .tileTouched(0), .tile(0, .running)]
        #expect(
            Self.model(open[0], open[1], open[2], Self.state(.signingOut)).actions == [.forget(endingPrograms: false)])
        #expect(
            Self.model(open[0], open[1], open[2], Self.state(.ready)).actions
                == [.forget(endingPrograms: true), .endPrograms])
        // This is the process that has started anew.
        #expect(Self.model(Self.state(.signingOut), Self.state(.ready)).actions == [.endPrograms])
        // An earlier home screen that was killed may have left programs. They are ended, but only once nobody is signed
        // in.
        #expect(Self.model(Self.state(.signedIn)).actions == [.readAccount])
        #expect(Self.model(Self.state(.ready)).actions == [.endPrograms])
        #expect(Self.model(Self.state(.ready), Self.state(.signingIn), Self.state(.ready)).actions == [])
    }

    @Test(arguments: [DeviceState.Stage.signingOut, .ready, .signingIn, .joining, .quarantined])
    func `a session is forgotten once it is over, also if the states in between are missing`(
        next: DeviceState.Stage
    ) {
        func ends(_ events: HomeModel.Event...) -> Bool {
            var model = HomeModel()
            return events.map { model.handle($0) }.last?.contains { action in
                if case .forget = action { true } else { false }
            } ?? false
        }
        func session(_ began: Int) -> HomeModel.Event {
            let session = DeviceState.Session(began: began, shiftEnd: nil, idleEnd: nil)
            return .device(DeviceState(stage: .signedIn, reason: "shared", session: session))
        }
        #expect(ends(Self.state(.signedIn), Self.state(next)))
        #expect(ends(Self.state(.signedIn), Self.state(.ending), .brokerLost, Self.state(next)))
        #expect(ends(session(1), session(2)))
        #expect(!ends(session(1), session(1)))
        #expect(!ends(session(1), Self.state(.ending)))
        #expect(!ends(session(1), Self.state(next), Self.state(.ready)))
        #expect(!ends(Self.state(.ready), Self.state(.signingIn), Self.state(next)))
        #expect(ends(Self.state(.signingIn), .account(Self.ada), Self.state(.ready)))
        #expect(!ends(Self.state(.ready), .account(Self.ada), Self.state(.signingIn)))
    }

    /// The device's state after the hand-over with this receipt.
    private static func state(_ stage: DeviceState.Stage, receipt: Int) -> HomeModel.Event {
        let handover = DeviceState.Handover(receipt: receipt, finished: 0, trigger: nil, items: [])
        return .device(DeviceState(stage: stage, reason: "shared", hasAgent: true, handover: handover))
    }

    @Test func `a session that was over before it was seen is forgotten`() {
        let signedIn = HomeModel.Event.signInEnded(isSignedIn: true, wasCancelled: false)
        let forget = [HomeModel.Action.forget(endingPrograms: true)]
        let start: [HomeModel.Event] = [Self.state(.ready), .signInTouched(.polish), Self.state(.signingIn)]
        // The sign-in ends before the next state arrives, or after it.
        #expect(Self.model(start[0], start[1], start[2], signedIn, Self.state(.ready)).actions.starts(with: forget))
        let late = Self.model(start[0], start[1], start[2], Self.state(.ready), signedIn)
        #expect(late.actions == [.readAccount])
        #expect(
            Self.model(start[0], start[1], start[2], Self.state(.ready), signedIn, .account(.nobody)).actions == forget)
        // An answer about the account is late, or was replaced by a later one. The next answer shows who is signed in.
        #expect(Self.model(start[0], .account(Self.ada)).actions == [.readAccount])
        #expect(Self.model(start[0], .account(Self.ada), .account(.nobody)).actions == forget)
        #expect(Self.model(start[0], .account(.nobody), .workerRead).actions == [.readAccount])
        #expect(Self.model(start[0], .account(.nobody), .workerRead, .account(.nobody)).actions == forget)
        // The next session has already begun.
        #expect(
            Self.model(Self.state(.ready, receipt: 1), signedIn, Self.state(.signedIn, receipt: 2)).actions
                .starts(with: forget))
        let grace = HomeModel.Account.worker(HomeModel.Worker(name: "Grace", username: "grace@x.test"))
        #expect(Self.model(start[0], .account(Self.ada), .account(grace)).actions == forget)
    }

    @Test func `a session that begins is not forgotten`() {
        let signedIn = HomeModel.Event.signInEnded(isSignedIn: true, wasCancelled: false)
        func forgets(_ events: [HomeModel.Event]) -> Bool {
            var model = HomeModel()
            return events.flatMap { model.handle($0) }.contains { if case .forget = $0 { true } else { false } }
        }
        let (ready, began) = (Self.state(.ready, receipt: 1), Self.state(.signedIn, receipt: 1))
        #expect(!forgets([ready, signedIn, .account(Self.ada), began, .account(Self.ada)]))
        #expect(!forgets([ready, .account(Self.ada), .account(Self.ada), began, .brokerLost, began]))
        #expect(!forgets([.account(Self.ada), began, .account(.unknown), .account(Self.ada)]))
        // Nothing is forgotten after a cancelled sign-in, or in a process that started anew while apps were erasing.
        #expect(!forgets([Self.state(.signingOut, receipt: 1), Self.state(.ready, receipt: 2), .account(.nobody)]))
        let cancelled = HomeModel.Event.signInEnded(isSignedIn: false, wasCancelled: true)
        #expect(!forgets([ready, Self.state(.signingIn, receipt: 1), cancelled, .account(.nobody), ready]))
    }

    @Test("the report of a program that ends after the session does not reach the next worker's screen")
    func lateReport() {
        let model = Self.model(
            Self.state(.signedIn), .tileTouched(0), Self.state(.ready), .tile(0, .idle), Self.state(.signedIn)
        ).model
        #expect(model.tiles.isEmpty)
    }

    @Test("without the broker nobody is known to be signed in")
    func brokerLost() {
        let model = Self.model(Self.state(.signedIn), .account(Self.ada), .brokerLost).model
        #expect(model.account == .unknown && model.device == .unreachable)
    }

    @Test("a sign-in that fails is explained until the next touch, and one that the person cancelled is not")
    func notices() {
        let failed: [HomeModel.Event] = [
            Self.state(.ready), .signInTouched(.polish), .signInEnded(isSignedIn: false, wasCancelled: false),
        ]
        #expect(Self.model(failed[0], failed[1], failed[2]).model.notice == .notSignedIn)
        #expect(Self.model(failed[0], failed[1], failed[2], .signInTouched(.polish)).model.notice == nil)
    }

    @Test("a hand-over in progress is explained until the device is ready")
    func slowHandover() {
        let slow: [HomeModel.Event] = [
            Self.state(.signedIn), .handoverTouched, Self.state(.signingOut), .handoverEnded(isDone: false),
        ]
        #expect(Self.model(slow[0], slow[1], slow[2], slow[3]).model.notice == .handoverGoesOn)
        #expect(Self.model(slow[0], slow[1], slow[2], slow[3], Self.state(.ready)).model.notice == nil)
    }
}
