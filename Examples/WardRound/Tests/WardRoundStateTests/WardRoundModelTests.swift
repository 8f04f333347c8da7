// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import WardRoundState
import Workers

@Suite struct WardRoundModelTests {
    private let amara = Worker(id: "a", username: "amara")
    private let bo = Worker(id: "b", username: "bo")
    private let profile = Profile(displayName: "Amara Okafor", jobTitle: "Nurse", mail: nil)
    private let note = Note("bed 4: water", written: Date(timeIntervalSince1970: 0))
    private let trouble = Problem(code: "trouble", message: "Trouble.")

    /// Returns a model whose first check has reported `worker`, with their profile and no notes.
    private func model(_ worker: Worker?) -> WardRoundModel {
        var model = WardRoundModel()
        _ = model.handle(.opened)
        _ = model.handle(.account(worker))
        if let worker {
            _ = model.handle(.notes([], owner: worker.id))
            _ = model.handle(.profile(profile, owner: worker.id))
        }
        return model
    }

    private func nobody(_ notice: Problem? = nil) -> Screen { .nobody(isShared: true, notice: notice) }

    @Test func `nothing is shown before the first check has reported who is signed in`() {
        var model = WardRoundModel()
        #expect(model.handle(.opened) == [.askDevice, .checkAccount])
        #expect(model.screen == .checking)
        #expect(model.handle(.account(nil)) == [.erase(keeping: nil)])
        #expect(model.screen == nobody())
    }

    @Test func `a worker who is already signed in is shown after the data of others is erased`() {
        var model = WardRoundModel()
        _ = model.handle(.opened)
        let actions = model.handle(.account(amara))
        #expect(actions == [.erase(keeping: "a"), .readNotes(owner: "a"), .fetchProfile(owner: "a")])
        #expect(model.screen == .worker(WorkerData(amara), notice: nil))
    }

    @Test(arguments: [WardRoundModel.Event.returned, .notified])
    func `a reason to check covers the window, and the same worker finds everything as it was`(
        reason: WardRoundModel.Event
    ) {
        var model = model(amara)
        let before = model.screen
        #expect(model.handle(reason) == [.checkAccount])
        #expect(model.screen == .checking)
        #expect(model.handle(.account(amara)) == [.erase(keeping: "a")])
        #expect(model.screen == before)
    }

    @Test func `a direct change from one worker to another leaves nothing of the first`() {
        var model = model(amara)
        _ = model.handle(.noteEntered(note))
        _ = model.handle(.returned)
        #expect(model.handle(.account(bo)).first == .erase(keeping: "b"))
        #expect(model.screen == .worker(WorkerData(bo), notice: nil))
        #expect(!isHeld(model, "Amara") && !isHeld(model, "bed 4"))
    }

    @Test func `a sign-out from elsewhere leaves nothing`() {
        var model = model(amara)
        _ = model.handle(.noteEntered(note))
        _ = model.handle(.notified)
        #expect(model.handle(.account(nil)) == [.erase(keeping: nil)])
        #expect(model.screen == nobody() && !isHeld(model, "amara"))
    }

    @Test func `late answers about the former worker change nothing`() {
        var model = model(bo)
        let before = model.screen
        #expect(model.handle(.profile(profile, owner: "a")) == [])
        #expect(model.handle(.notes([note], owner: "a")) == [])
        #expect(model.handle(.profileFailed(trouble, owner: "a")) == [])
        #expect(model.screen == before)
    }

    @Test func `if it is unknown who is signed in, nothing is shown and nothing is removed`() {
        var model = model(amara)
        _ = model.handle(.returned)
        #expect(model.handle(.accountUnknown(trouble)) == [])
        #expect(model.screen == .closed(trouble) && !isHeld(model, "Amara"))
        #expect(model.handle(.returned) == [.checkAccount])
        #expect(model.handle(.account(amara)).first == .erase(keeping: "a"))
        #expect(model.screen == .worker(WorkerData(amara), notice: nil))
    }

    @Test func `while a former worker's data cannot be erased, the next worker sees nothing`() {
        var model = model(amara)
        _ = model.handle(.returned)
        _ = model.handle(.account(bo))
        _ = model.handle(.eraseFailed(trouble))
        _ = model.handle(.notes([note], owner: "b"))
        #expect(model.screen == .closed(trouble))
        _ = model.handle(.returned)
        #expect(model.handle(.account(bo)).first == .erase(keeping: "b"))
        #expect(model.screen == .worker(WorkerData(bo), notice: nil))
    }

    @Test func `an event during a check causes another check, and the window stays covered`() {
        var model = model(amara)
        _ = model.handle(.returned)
        #expect(model.handle(.notified) == [])
        #expect(model.handle(.account(amara)) == [.erase(keeping: "a"), .checkAccount])
        #expect(model.screen == .checking)
        _ = model.handle(.account(bo))
        #expect(model.screen == .worker(WorkerData(bo), notice: nil))
    }

    @Test func `a worker signs in with the button, and only a check confirms it`() {
        var model = model(nil)
        #expect(model.handle(.signInChosen) == [.signIn])
        #expect(model.screen == .signingIn)
        #expect(model.handle(.signInChosen) == [])
        #expect(model.handle(.signedIn) == [.checkAccount])
        _ = model.handle(.account(amara))
        #expect(model.screen == .worker(WorkerData(amara), notice: nil))
    }

    @Test func `a window that becomes active while the sign-in page is open keeps waiting`() {
        var model = model(nil)
        _ = model.handle(.signInChosen)
        _ = model.handle(.returned)
        _ = model.handle(.account(nil))
        #expect(model.screen == .signingIn)
    }

    @Test func `the reason of a failed sign-in is shown until somebody signs in`() {
        var model = model(nil)
        _ = model.handle(.signInChosen)
        #expect(model.handle(.failed(trouble)) == [.checkAccount])
        _ = model.handle(.account(nil))
        #expect(model.screen == nobody(trouble))
        _ = model.handle(.notified)
        _ = model.handle(.account(bo))
        #expect(model.screen == .worker(WorkerData(bo), notice: nil))
    }

    @Test func `sign-out clears the app first, and only a check confirms it`() {
        var model = model(amara)
        #expect(model.handle(.signOutChosen) == [.signOut, .erase(keeping: nil)])
        #expect(model.screen == .signingOut && !isHeld(model, "Amara"))
        // The window becomes active, and the worker is still signed in.
        _ = model.handle(.returned)
        #expect(model.handle(.account(amara)) == [.erase(keeping: "a")])
        #expect(model.screen == .signingOut)
        #expect(model.handle(.signedOut) == [.checkAccount])
        _ = model.handle(.account(nil))
        #expect(model.screen == nobody())
        _ = model.handle(.notified)
        _ = model.handle(.account(amara))
        #expect(model.screen == .worker(WorkerData(amara), notice: nil))
    }

    @Test func `a sign-out after which the worker is still signed in is reported`() throws {
        var model = model(amara)
        _ = model.handle(.signOutChosen)
        _ = model.handle(.signedOut)
        _ = model.handle(.account(amara))
        guard case .worker(_, let notice?) = model.screen else { throw Unexpected(screen: model.screen) }
        #expect(notice.code == "still-signed-in")
    }

    @Test func `the reason of a failed sign-out is shown, but not to the next worker`() {
        var failed = model(amara)
        _ = failed.handle(.signOutChosen)
        _ = failed.handle(.failed(trouble))
        var taken = failed
        _ = failed.handle(.account(amara))
        #expect(failed.screen == .worker(WorkerData(amara), notice: trouble))
        _ = taken.handle(.account(bo))
        #expect(taken.screen == .worker(WorkerData(bo), notice: nil))
    }

    @Test func `a note is stored for the worker who wrote it, if there is room`() {
        var model = model(amara)
        #expect(model.handle(.noteEntered(Note("", written: note.written))) == [])
        #expect(model.handle(.noteEntered(note)) == [.writeNotes([note], owner: "a")])
        _ = model.handle(.notes(Array(repeating: note, count: WorkerData.maximumNotes), owner: "a"))
        #expect(model.handle(.noteEntered(note)) == [])
    }

    @Test func `no note is stored while the window is covered, nobody is signed in, or the notes are not read`() {
        var covered = model(amara)
        _ = covered.handle(.returned)
        var empty = model(nil)
        var unread = WardRoundModel()
        _ = unread.handle(.opened)
        _ = unread.handle(.account(amara))
        #expect(covered.handle(.noteEntered(note)) == [])
        #expect(empty.handle(.noteEntered(note)) == [])
        #expect(unread.handle(.noteEntered(note)) == [])
    }

    @Test func `the sign-in page says whether the device is shared, and assumes that it is`() {
        var model = model(nil)
        _ = model.handle(.device(isShared: false))
        #expect(model.screen == .nobody(isShared: false, notice: nil))
    }

    @Test func `errors are shown in plain words, and an unknown error with its code`() {
        #expect(Problem(code: "graph-503", message: "x").plainWords.hasPrefix("Your details cannot be loaded"))
        #expect(trouble.plainWords == "Something went wrong. If it happens again, tell your IT support: trouble.")
    }

    /// Whether `text` is anywhere in the model.
    private func isHeld(_ model: WardRoundModel, _ text: String) -> Bool {
        var content = ""
        dump(model, to: &content)
        return content.contains(text)
    }
}

private struct Unexpected: Error {
    let screen: Screen
}
