// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSALTesting
import SampleParts
import Testing
import WorkerState

@testable import firstline_worker

/// Tests the whole app, from its commands to its files, on a simulated device.
@MainActor @Suite(.timeLimit(.minutes(2))) struct HandoverTests {
    private let device = TestDevice(answersWithin: .seconds(1), notifications: NotificationCenter())
    private let amara = TestWorker("amara@contoso.example")
    private let bo = TestWorker("bo@contoso.example")

    @Test func `a worker signs in, keeps a note and signs out, and nothing of them is left`() async throws {
        let run = try Run(device)
        device.signInsEnd(with: .worker(amara))
        #expect(try await run.answer("sign-in")["username"] == amara.username)
        _ = try await run.answer("note buy milk")
        #expect(try await run.answer("show")["note"] == "buy milk")
        #expect(run.notes.count == 1)
        #expect(try await run.answer("sign-out")["error"] == nil)
        #expect(device.signedIn == nil && run.notes.isEmpty)
        #expect(try await run.answer("show")["error"] == "nobody")
    }

    @Test func `if another worker is signed in, the former note is erased before anything is shown`() async throws {
        let run = try Run(device)
        device.signIn(amara)
        _ = try await run.answer("note hers")
        await device.handover(to: bo)
        #expect(try await run.answer("show")["note"] == nil)
        #expect(run.notes.isEmpty)
        _ = try await run.answer("note his")
        #expect(try await run.answer("show")["note"] == "his")
    }

    @Test func `without a broker the app shows nothing and removes nothing`() async throws {
        let run = try Run(device)
        device.signIn(amara)
        _ = try await run.answer("note hers")
        device.stopBroker()
        #expect(try await run.answer("show")["error"] == "msal-50000/-42714")
        #expect(run.notes.count == 1)
        device.startBroker()
        #expect(try await run.answer("show")["note"] == "hers")
    }

    @Test func `a person who closes the page is not signed in, and the answer says so`() async throws {
        let run = try Run(device)
        device.signInsEnd(with: .canceled)
        #expect(try await run.answer("sign-in")["error"] == "canceled")
    }

    @Test func `if the app was closed at the hand-over, its next run erases before it is told of the next worker`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "worker-\(UUID().uuidString)")
        let run = try Run(device, folder: folder)
        device.signIn(amara)
        _ = try await run.answer("note hers")
        run.end()
        device.signIn(bo)
        let next = try Run(device, folder: folder)
        try await next.isTold(of: bo)
        #expect(next.notes.isEmpty)
    }
}

/// One run of the app, with its data in its own folder.
@MainActor private final class Run {
    let folder: URL
    private let app: WorkerApp
    private let reports: AsyncStream<[String: String]>

    private var isKept = false

    init(_ device: TestDevice, folder: URL? = nil) throws {
        let folder = folder ?? FileManager.default.temporaryDirectory.appending(path: "worker-\(UUID().uuidString)")
        self.folder = folder
        let (stream, output) = AsyncStream.makeStream(of: [String: String].self)
        reports = stream
        let configuration = try JSONDecoder().decode(
            Configuration.self,
            from: JSONSerialization.data(withJSONObject: [
                "clientId": "6a7b0f8e-1f2d-4c3b-9a58-0d1e2f3a4b5c", "redirectUri": "msauth.org.baton.sample.one://auth",
                "authority": "https://login.baton.test:8443/common", "graphEndpoint": "https://graph.baton.test:8443",
                "scopes": ["User.Read"], "dataFolder": folder.path,
            ]))
        app = try device.use {
            try WorkerApp(
                configuration,
                terminal: Terminal(isJSON: true) { line in
                    if let report = try? JSONDecoder().decode([String: String].self, from: Data(line.utf8)) {
                        output.yield(report)
                    }
                })
        }
        app.handle(.launched)
    }

    isolated deinit { if !isKept { try? FileManager.default.removeItem(at: folder) } }

    /// Ends the run as the end of the process would. The data stays in its folder for the next run.
    func end() {
        isKept = true
        app.close()
    }

    /// The files that the app keeps.
    var notes: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "notes").path)) ?? []
    }

    /// Sends the app a command and returns its answer.
    func answer(_ line: String) async throws -> [String: String] {
        app.handle(.command(Command(line: line)))
        let name = String(line.prefix { $0 != " " })
        return try await report { $0["answer"] == name }
    }

    /// Waits until the app says that `worker` is signed in.
    func isTold(of worker: TestWorker) async throws {
        _ = try await report { $0["event"] == "account" && $0["current"] == worker.identifier }
    }

    private func report(_ isMeant: ([String: String]) -> Bool) async throws -> [String: String] {
        for await report in reports where isMeant(report) { return report }
        throw CancellationError()
    }
}
