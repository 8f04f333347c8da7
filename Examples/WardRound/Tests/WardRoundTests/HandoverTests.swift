// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSALTesting
import SampleParts
import Testing
import WardRoundState
import Workers

@testable import ward_round

/// Tests the app without its window: from the worker's actions to the screens and files, on a simulated device.
@MainActor @Suite(.timeLimit(.minutes(2))) struct HandoverTests {
    private let device = TestDevice(answersWithin: .seconds(1), notifications: NotificationCenter())
    private let amara = TestWorker("amara@contoso.example")
    private let bo = TestWorker("bo@contoso.example")

    @Test func `a worker signs in, writes a note and signs out, and nothing of them is left`() async throws {
        let run = try Run(device)
        try await run.shows { $0 == .nobody(isShared: true, notice: nil) }
        device.signInsEnd(with: .worker(amara))
        run.app.handle(.signInChosen)
        try await run.showsPage(of: amara)
        run.app.handle(.noteEntered(Note("bed 4: water", written: .now)))
        #expect(run.files.count == 1 && run.isHeld("bed 4: water") && run.isHeld(amara.username))
        run.app.handle(.signOutChosen)
        #expect(run.files.isEmpty && !run.isHeld("bed 4: water"))
        try await run.shows { $0 == .nobody(isShared: true, notice: nil) }
        #expect(device.signedIn == nil && !run.isHeld(amara.username))
    }

    @Test func `a worker who comes back to the window finds their notes`() async throws {
        let run = try Run(device)
        device.signIn(amara)
        try await run.write("bed 4: water", as: amara)
        run.app.handle(.returned)
        #expect(run.screen == .checking)
        try await run.showsPage(of: amara, notes: ["bed 4: water"])
    }

    @Test func `if another worker is signed in when the window becomes active, no data of the former one is left`()
        async throws
    {
        let run = try Run(device)
        device.signIn(amara)
        try await run.write("bed 4: water", as: amara)
        device.signIn(bo)
        run.app.handle(.returned)
        try await run.showsPage(of: bo, notes: [])
        #expect(run.files.isEmpty && !run.isHeld("bed 4: water") && !run.isHeld(amara.username))
    }

    @Test func `data is erased before the next worker's page is shown`() async throws {
        let run = try Run(device)
        device.signIn(amara)
        try await run.write("bed 4: water", as: amara)
        device.signIn(bo)
        run.app.handle(.returned)
        try await run.showsPage(of: bo)
        #expect(run.filesAtFirstPage(of: bo) == 0)
    }

    @Test func `without a broker the app closes the page and removes nothing`() async throws {
        let run = try Run(device)
        device.signIn(amara)
        try await run.write("bed 4: water", as: amara)
        device.stopBroker()
        run.app.handle(.returned)
        try await run.shows { if case .closed = $0 { true } else { false } }
        #expect(run.files.count == 1 && !run.isHeld("bed 4: water"))
        device.startBroker()
        run.app.handle(.returned)
        try await run.showsPage(of: amara, notes: ["bed 4: water"])
    }

    @Test func `a former worker's file that cannot be removed keeps the next worker's page closed`() async throws {
        let run = try Run(device)
        device.signIn(amara)
        try await run.write("bed 4: water", as: amara)
        try run.blockFolder()
        device.signIn(bo)
        run.app.handle(.returned)
        try await run.shows { if case .closed(let problem) = $0 { problem.code == "erase" } else { false } }
        #expect(!run.isHeld("bed 4: water"))
    }

    @Test func `a person who closes the page is not signed in, and the screen says so`() async throws {
        let run = try Run(device)
        try await run.shows { $0 == .nobody(isShared: true, notice: nil) }
        device.signInsEnd(with: .canceled)
        run.app.handle(.signInChosen)
        try await run.shows { if case .nobody(_, let notice?) = $0 { notice.code == "canceled" } else { false } }
    }

    @Test func `if the app dies during a change of worker, its next run completes the change`() async throws {
        let run = try Run(device)
        device.signIn(amara)
        try await run.write("bed 4: water", as: amara)
        device.signIn(bo)
        // The first run ends without another check, so its notes are still there.
        let next = try Run(device, folder: run.folder)
        try await next.showsPage(of: bo, notes: [])
        #expect(next.files.isEmpty)
    }
}
