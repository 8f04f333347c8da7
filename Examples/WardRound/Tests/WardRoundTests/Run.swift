// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSALTesting
import SampleParts
import WardRoundState
import Workers

@testable import ward_round

/// One run of the app, with its data in its own folder. In place of a window, it records the screens.
@MainActor final class Run {
    let folder: URL
    let app: WardRoundApp
    private let record: Record
    private let screens: AsyncStream<Screen>

    private var isKept = false

    init(_ device: TestDevice, folder: URL? = nil) throws {
        let folder = folder ?? FileManager.default.temporaryDirectory.appending(path: "ward-\(UUID().uuidString)")
        self.folder = folder
        let record = Record()
        self.record = record
        let (stream, output) = AsyncStream.makeStream(of: Screen.self)
        screens = stream
        let configuration = try JSONDecoder().decode(
            Configuration.self,
            from: JSONSerialization.data(withJSONObject: [
                "clientId": "6a7b0f8e-1f2d-4c3b-9a58-0d1e2f3a4b5c",
                "redirectUri": "msauth.org.baton.sample.ward://auth",
                "authority": "https://login.baton.test:8443/common", "graphEndpoint": "https://graph.baton.test:8443",
                "scopes": ["User.Read"], "dataFolder": folder.path,
            ]))
        app = try device.use {
            try WardRoundApp(configuration) { screen in
                record.screen = screen
                record.clear(before: screen)
                if case .worker(let data, _) = screen, record.filesAtFirstPage[data.worker.id] == nil {
                    record.filesAtFirstPage[data.worker.id] = Self.names(in: folder).count
                }
                output.yield(screen)
            }
        }
        record.app = app
        app.handle(.opened)
    }

    /// Types a text that is not a note yet.
    func type() {
        record.hasDraft = true
        app.handle(.draftChanged(isEmpty: false))
    }

    isolated deinit { if !isKept { try? FileManager.default.removeItem(at: folder) } }

    /// Ends the run as the end of the process would. The data stays in its folder for the next run.
    func end() {
        isKept = true
        app.close()
    }

    /// What the window would show now.
    var screen: Screen? { record.screen }

    /// The files that the app keeps.
    var files: [String] { Self.names(in: folder) }

    /// How many files the app kept when it first showed the worker's page.
    func filesAtFirstPage(of worker: TestWorker) -> Int? { record.filesAtFirstPage[worker.identifier] }

    /// Whether `text` is anywhere in the app's objects.
    func isHeld(_ text: String) -> Bool {
        var content = ""
        dump(app, to: &content)
        return content.contains(text)
    }

    /// Waits for a screen.
    func shows(_ isMeant: (Screen) -> Bool) async throws {
        for await screen in screens where isMeant(screen) { return }
        throw CancellationError()
    }

    /// Waits for a worker's page whose notes are read.
    func showsPage(of worker: TestWorker, notes: [String]? = nil) async throws {
        try await shows { screen in
            guard case .worker(let data, _) = screen, data.worker.id == worker.identifier, let read = data.notes
            else { return false }
            return notes.map { $0 == read.map(\.text) } ?? true
        }
    }

    /// Writes a note as a worker who is signed in.
    func write(_ text: String, as worker: TestWorker) async throws {
        repeat { try await showsPage(of: worker) } while !isOpen(for: worker)
        app.handle(.noteEntered(Note(text, written: .now)))
    }

    /// Whether the worker's page is shown now. A check that began after the page was first shown covers it.
    private func isOpen(for worker: TestWorker) -> Bool {
        if case .worker(let data, _) = screen { data.worker.id == worker.identifier } else { false }
    }

    /// Makes the removal of files fail by replacing the folder of notes with a file.
    func blockFolder() throws {
        let notes = folder.appending(path: "notes")
        try FileManager.default.removeItem(at: notes)
        try Data().write(to: notes)
    }

    private static func names(in folder: URL) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "notes").path)) ?? []
    }
}

/// The screens that the window was told to show.
@MainActor private final class Record {
    var screen: Screen?
    var filesAtFirstPage: [String: Int] = [:]
    weak var app: WardRoundApp?
    var hasDraft = false

    /// Clears the draft, as the window does. The window's field reports this at once.
    func clear(before screen: Screen) {
        if screen == .checking { return }
        if case .worker = screen { return }
        guard hasDraft else { return }
        hasDraft = false
        app?.handle(.draftChanged(isEmpty: true))
    }
}
