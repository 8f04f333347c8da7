// SPDX-License-Identifier: Apache-2.0
import Foundation
import SampleParts
import WorkerState
import Workers

/// Performs the actions of ``WorkerModel`` on the main queue, with MSAL, Graph, files and the terminal.
@MainActor final class WorkerApp {
    private let device: SharedDevice
    private let files: WorkerFiles
    private let terminal: Terminal
    private var model = WorkerModel()
    private var events: [WorkerModel.Event] = []
    private var isBusy = false

    init(_ configuration: Configuration, terminal: Terminal) throws {
        device = try SharedDevice(configuration)
        files = WorkerFiles(dataFolder: configuration.dataFolder)
        self.terminal = terminal
        try device.erase("notes") { [weak self, files] in
            self?.handle(.left)
            try files.erase(keeping: nil)
        }
        try device.follow { [weak self] in self?.handle(.notified) }
    }

    /// Ends the app, so that another one can start in this process.
    func close() { device.close() }

    /// Queues an event. Passes all queued events to the model in order and performs the actions that it returns, unless
    /// an earlier call of this method is still doing so.
    func handle(_ event: WorkerModel.Event) {
        events.append(event)
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        while !events.isEmpty {
            for action in model.handle(events.removeFirst()) { perform(action) }
        }
    }

    private func perform(_ action: WorkerModel.Action) {
        switch action {
        case .checkAccount: checkAccount()
        case .askDevice: askDevice()
        case .signIn(let hint, let isNew):
            device.signIn(hint: hint, isNew: isNew) { [weak self] in self?.handle($0.map { .failed($0) } ?? .signedIn) }
        case .fetchProfile(let turn): fetchProfile(turn: turn)
        case .writeNote(let text, let owner):
            keep { () throws(Problem) in
                try files.write(Data(text.utf8), owner: owner)
                return text
            }
        case .readNote(let owner):
            keep { () throws(Problem) in try files.read(owner: owner).map { String(decoding: $0, as: UTF8.self) } }
        case .signOut: device.signOut { [weak self] in self?.handle($0.map { .failed($0) } ?? .signedOut) }
        case .erase(let owner): erase(keeping: owner)
        case .clearScreen: terminal.clear()
        case .say(let report): terminal.show(report)
        case .quit: exit(0)
        }
    }

    private func askDevice() {
        device.mode { [weak self] answer in
            switch answer {
            case .success(let (isShared, reason)):
                self?.handle(.device(mode: isShared ? "shared" : "personal", reason: reason))
            case .failure(let problem): self?.handle(.deviceUnknown(problem))
            }
        }
    }

    /// Checks who is signed in. When the answer arrives, the app first erases all of the former worker's data.
    private func checkAccount() {
        device.check { [weak self] answer in
            switch answer {
            case .success(let (current, previous)): self?.handle(.account(current: current, previous: previous))
            case .failure(let problem): self?.handle(.accountUnknown(problem))
            }
        }
    }

    private func fetchProfile(turn: Int) {
        device.profile { [weak self] answer in
            switch answer {
            case .success(let profile): self?.handle(.profile(profile, turn: turn))
            case .failure(let problem): self?.handle(.profileFailed(problem, turn: turn))
            }
        }
    }

    private func keep(_ body: () throws(Problem) -> String?) {
        do throws(Problem) { handle(.note(try body())) } catch { handle(.noteFailed(error)) }
    }

    private func erase(keeping owner: String?) {
        device.forget(keeping: owner)
        do throws(Problem) { try files.erase(keeping: owner) } catch {
            terminal.show(Report(.event, "erase", problem: error))
        }
    }
}
