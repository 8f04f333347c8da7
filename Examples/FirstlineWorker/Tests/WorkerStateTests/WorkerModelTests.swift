// SPDX-License-Identifier: Apache-2.0
import Testing
import WorkerState
import Workers

@Suite struct WorkerModelTests {
    private let amara = Worker(id: "a", username: "amara")
    private let bo = Worker(id: "b", username: "bo")
    private let profile = Profile(displayName: "Amara", jobTitle: nil, mail: nil)
    private let trouble = Problem(code: "trouble", message: "Trouble.")

    /// Returns a model whose first check has reported `worker` as signed in.
    private func model(_ worker: Worker?, mode: String = "shared") -> WorkerModel {
        var model = WorkerModel()
        _ = model.handle(.launched)
        _ = model.handle(.device(mode: mode, reason: nil))
        _ = model.handle(.account(current: worker, previous: nil))
        return model
    }

    @Test func `nothing is shown before the first check has reported who is signed in`() {
        var model = WorkerModel()
        #expect(model.handle(.launched) == [.askDevice, .checkAccount])
        #expect(model.handle(.command(.show)) == [])
    }

    @Test(arguments: [Command.me, .show, .note("x"), .signOut, .signIn(hint: nil), .signUp])
    func `every command about a worker begins with a check`(command: Command) {
        var model = model(amara)
        #expect(model.handle(.command(command)) == [.checkAccount])
    }

    @Test func `the first check removes data of another worker that a crash left behind`() {
        var model = WorkerModel()
        _ = model.handle(.launched)
        #expect(model.handle(.account(current: bo, previous: "a")).first == .erase(keeping: "b"))
    }

    @Test(arguments: [WorkerModel.Event.returned, .notified])
    func `a direct change from one worker to another clears screen and files before it is announced`(
        event: WorkerModel.Event
    ) {
        var model = model(amara)
        #expect(model.handle(event) == [.checkAccount])
        let actions = model.handle(.account(current: bo, previous: "a"))
        #expect(actions.prefix(2) == [.clearScreen, .erase(keeping: "b")])
        #expect(actions.last == .say(Report(.event, "account", ["current": "b", "username": "bo", "previous": "a"])))
    }

    @Test func `a sign-out from elsewhere clears everything`() {
        var model = model(amara)
        _ = model.handle(.notified)
        #expect(model.handle(.account(current: nil, previous: "a")).prefix(2) == [.clearScreen, .erase(keeping: nil)])
    }

    @Test func `a profile that arrives after the worker changed is never shown`() {
        var model = model(amara)
        _ = model.handle(.command(.me))
        guard case .fetchProfile(let turn)? = model.handle(.account(current: amara, previous: "a")).last else {
            Issue.record("No profile was fetched.")
            return
        }
        _ = model.handle(.returned)
        #expect(model.handle(.profile(profile, turn: turn)) == [])
        let actions = model.handle(.account(current: bo, previous: "a"))
        #expect(actions.last == .fetchProfile(turn: turn + 1))
    }

    @Test(arguments: [Command.note("hers"), .signOut])
    func `what a worker has entered does nothing to the next one`(command: Command) {
        for isTold in [false, true] {
            var model = model(amara)
            _ = model.handle(.command(command))
            if isTold { _ = model.handle(.left) }
            let actions = [1, 2].flatMap { _ in model.handle(.account(current: bo, previous: "a")) }
            #expect(!actions.contains(.writeNote("hers", owner: "b")) && !actions.contains(.signOut))
            let said = actions.compactMap { if case .say(let report) = $0 { report.problem?.code } else { nil } }
            #expect(said == ["other-worker"])
            _ = model.handle(.command(.note("his")))
            #expect(model.handle(.account(current: bo, previous: "b")).last == .writeNote("his", owner: "b"))
        }
    }

    @Test func `a note that was entered before anybody was known is the present worker's`() {
        var model = WorkerModel()
        _ = model.handle(.launched)
        _ = model.handle(.command(.note("hers")))
        _ = model.handle(.account(current: amara, previous: nil))
        #expect(model.handle(.account(current: amara, previous: nil)).last == .writeNote("hers", owner: "a"))
    }

    @Test func `if it is unknown who is signed in, nothing is shown and nothing is removed`() {
        var model = model(amara)
        _ = model.handle(.command(.show))
        let actions = model.handle(.accountUnknown(trouble))
        #expect(actions == [.clearScreen, .say(Report(.answer, "show", problem: trouble))])
    }

    @Test func `an event during a check causes another check, and work waits for it`() {
        var model = model(amara)
        #expect(model.handle(.command(.show)) == [.checkAccount])
        #expect(model.handle(.notified) == [])
        #expect(model.handle(.account(current: amara, previous: "a")).last == .checkAccount)
        #expect(model.handle(.account(current: bo, previous: "a")).last == .readNote(owner: "b"))
    }

    @Test func `sign-out clears the app first, and only a check confirms it`() {
        var model = model(amara)
        _ = model.handle(.command(.signOut))
        let actions = model.handle(.account(current: amara, previous: "a"))
        #expect(actions.suffix(3) == [.signOut, .clearScreen, .erase(keeping: nil)])
        #expect(model.handle(.signedOut) == [.checkAccount])
        #expect(model.handle(.account(current: nil, previous: "a")).last == .say(Report(.answer, "sign-out")))
    }

    @Test func `a sign-out fails if the worker is still signed in afterwards`() {
        var model = model(amara)
        _ = model.handle(.command(.signOut))
        _ = model.handle(.account(current: amara, previous: "a"))
        _ = model.handle(.signedOut)
        guard case .say(let report)? = model.handle(.account(current: amara, previous: "a")).last else {
            Issue.record("No answer came.")
            return
        }
        #expect(report.problem?.code == "still-signed-in")
    }

    @Test func `MSAL is asked to sign in only if nobody is signed in`() {
        var alone = model(nil)
        _ = alone.handle(.command(.signIn(hint: "amara")))
        #expect(alone.handle(.account(current: nil, previous: nil)).last == .signIn(hint: "amara", isNew: false))
        #expect(alone.handle(.signedIn) == [.checkAccount])
        let answer = Report(.answer, "sign-in", ["id": "a", "username": "amara"])
        #expect(alone.handle(.account(current: amara, previous: nil)).last == .say(answer))

        var taken = model(bo)
        _ = taken.handle(.command(.signIn(hint: nil)))
        let already = Report(.answer, "sign-in", ["id": "b", "username": "bo"])
        #expect(taken.handle(.account(current: bo, previous: "b")).last == .say(already))
    }

    @Test(arguments: ["shared", "personal"]) func `sign-up is offered only on a personal device`(mode: String) {
        var model = model(nil, mode: mode)
        _ = model.handle(.command(.device))
        guard case .say(let device)? = model.handle(.device(mode: mode, reason: nil)).first else {
            Issue.record("No answer came.")
            return
        }
        #expect(device.fields["signUp"] == (mode == "shared" ? "hidden" : "offered"))
        _ = model.handle(.command(.signUp))
        let last = model.handle(.account(current: nil, previous: nil)).last
        #expect((last == .signIn(hint: nil, isNew: true)) == (mode == "personal"))
    }

    @Test func `sign-up is refused while the device's mode is unknown`() {
        var model = WorkerModel()
        _ = model.handle(.launched)
        _ = model.handle(.deviceUnknown(trouble))
        _ = model.handle(.account(current: nil, previous: nil))
        _ = model.handle(.command(.signUp))
        #expect(model.handle(.account(current: nil, previous: nil)).last != .signIn(hint: nil, isNew: true))
    }

    @Test func `commands are answered one after the other, and quit is the last`() {
        var model = model(amara)
        _ = model.handle(.command(.show))
        _ = model.handle(.command(.unknown("x")))
        _ = model.handle(.inputEnded)
        _ = model.handle(.command(.device))
        #expect(model.handle(.account(current: amara, previous: "a")).last == .readNote(owner: "a"))
        let names = model.handle(.note(nil)).map { action -> String in
            guard case .say(let report) = action else { return "\(action)" }
            return report.name
        }
        #expect(names == ["show", "x", "quit", "quit"])
    }

    @Test(arguments: [
        ("device", Command.device), ("sign-in", .signIn(hint: nil)), ("sign-in amara", .signIn(hint: "amara")),
        ("note buy milk", .note("buy milk")), ("note", .unknown("note")), ("quit now", .unknown("quit")),
        ("DEVICE", .unknown("DEVICE")), ("", .unknown("")),
    ])
    func `a line is parsed as a command, or reported with its first word`(line: String, command: Command) {
        #expect(Command(line: line) == command)
    }
}
