// SPDX-License-Identifier: Apache-2.0
import Foundation
import SampleParts
import WardRoundState
import Workers

/// Performs the actions of ``WardRoundModel`` with MSAL, Graph and files, and shows its screen, all on the main thread.
@MainActor final class WardRoundApp {
    private let device: SharedDevice
    private let notes: Notes
    private let show: @MainActor (Screen) -> Void
    private var model = WardRoundModel()
    private var events: [WardRoundModel.Event] = []
    private var isBusy = false

    /// - Parameter show: shows a screen. Afterwards, the window must hold nothing of the previous screen.
    init(_ configuration: Configuration, show: @escaping @MainActor (Screen) -> Void) throws {
        device = try SharedDevice(configuration)
        notes = Notes(dataFolder: configuration.dataFolder)
        self.show = show
        try device.erase("notes") { [weak self, notes] in
            self?.handle(.left)
            try notes.erase(keeping: nil)
        }
        try device.follow { [weak self] in self?.handle(.notified) }
    }

    /// Ends the app, so that another one can start in this process.
    func close() { device.close() }

    /// Passes an event to the model, performs the actions that it returns, and shows the new screen. An event that
    /// arrives meanwhile is handled before the screen is shown. Data is therefore erased before anything is shown.
    func handle(_ event: WardRoundModel.Event) {
        events.append(event)
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        while !events.isEmpty {
            while !events.isEmpty {
                for action in model.handle(events.removeFirst()) { perform(action) }
            }
            // The window may report that it has cleared the text that the worker was writing.
            show(model.screen)
        }
    }

    private func perform(_ action: WardRoundModel.Action) {
        switch action {
        case .askDevice: askDevice()
        case .checkAccount: checkAccount()
        case .erase(let owner): erase(keeping: owner)
        case .readNotes(let owner):
            report(problem: { .notesFailed($0, owner: owner) }) { () throws(Problem) in
                handle(.notes(try notes.read(owner: owner), owner: owner))
            }
        case .writeNotes(let list, let owner):
            report(problem: { .notesFailed($0, owner: owner) }) { () throws(Problem) in
                try notes.write(list, owner: owner)
            }
        case .fetchProfile(let owner): fetchProfile(owner)
        case .reportUnsaved(let isUnsaved): device.hasUnsavedWork = isUnsaved
        case .signIn: device.signIn { [weak self] in self?.handle($0.map { .failed($0) } ?? .signedIn) }
        case .signOut: device.signOut { [weak self] in self?.handle($0.map { .failed($0) } ?? .signedOut) }
        }
    }

    /// A device that cannot tell its mode is treated as shared.
    private func askDevice() {
        device.mode { [weak self] answer in
            if case .success(let mode) = answer { self?.handle(.device(isShared: mode.isShared)) }
        }
    }

    /// Checks who is signed in. When the answer arrives, the app first erases the former worker's data, including the
    /// data in the window.
    private func checkAccount() {
        device.check { [weak self] answer in
            switch answer {
            case .success(let (current, _)): self?.handle(.account(current))
            case .failure(let problem): self?.handle(.accountUnknown(problem))
            }
        }
    }

    private func erase(keeping owner: String?) {
        device.forget(keeping: owner)
        report(problem: { .eraseFailed($0) }) { () throws(Problem) in try notes.erase(keeping: owner) }
    }

    private func fetchProfile(_ owner: String) {
        device.profile { [weak self] answer in
            switch answer {
            case .success(let profile): self?.handle(.profile(profile, owner: owner))
            case .failure(let problem): self?.handle(.profileFailed(problem, owner: owner))
            }
        }
    }

    private func report(problem event: (Problem) -> WardRoundModel.Event, _ body: () throws(Problem) -> Void) {
        do throws(Problem) { try body() } catch { handle(event(error)) }
    }
}
