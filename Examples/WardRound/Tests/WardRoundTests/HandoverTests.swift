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
        try await run.write("bed 4: water", as: amara)
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
        await device.handover(to: bo)
        run.app.handle(.returned)
        try await run.showsPage(of: bo, notes: [])
        #expect(run.files.isEmpty && !run.isHeld("bed 4: water") && !run.isHeld(amara.username))
    }

    @Test func `after a hand-over nothing is left, although nobody has touched the window`() async throws {
        let run = try Run(device)
        device.signIn(amara)
        try await run.write("bed 4: water", as: amara)
        device.signOut()
        try await run.shows { $0 == .nobody(isShared: true, notice: nil) }
        await device.reached(.erased)
        #expect(run.files.isEmpty && !run.isHeld("bed 4: water") && !run.isHeld(amara.username))
        #expect(device.owedErasers.isEmpty)
    }

    @Test func `if the app was closed at the hand-over, its next run erases before it is given the next worker`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ward-\(UUID().uuidString)")
        device.signIn(amara)
        let run = try Run(device, folder: folder)
        try await run.write("bed 4: water", as: amara)
        run.end()
        device.signIn(bo)
        #expect(device.owedErasers == ["notes"])
        let next = try Run(device, folder: folder)
        #expect(next.files.count == 1)
        try await next.showsPage(of: bo, notes: [])
        #expect(next.filesAtFirstPage(of: bo) == 0 && device.owedErasers.isEmpty)
    }

    @Test func `a text that is not kept yet is unsaved work, until it is kept`() async throws {
        let run = try Run(device)
        device.signIn(amara)
        try await run.showsPage(of: amara)
        run.app.handle(.draftChanged(isEmpty: false))
        await device.reached(.unsavedWork)
        #expect(device.hasUnsavedWork)
        device.announceEnd(within: .seconds(60))
        run.app.handle(.draftChanged(isEmpty: true))
        await device.reached(.readyToEnd)
        #expect(!device.hasUnsavedWork)
    }

    @Test func `a worker who signs out drops the text that is not kept yet, and the end does not wait for it`()
        async throws
    {
        let run = try Run(device)
        device.signIn(amara)
        try await run.showsPage(of: amara)
        run.type()
        await device.reached(.unsavedWork)
        device.fail(.signout, with: .silence)
        run.app.handle(.signOutChosen)
        #expect(run.screen == .signingOut)
        await device.reached(.unsavedWork, times: 2)
        #expect(device.signedIn == amara && !device.hasUnsavedWork)
    }

    @Test func `data is erased before the next worker's page is shown`() async throws {
        let run = try Run(device)
        device.signIn(amara)
        try await run.write("bed 4: water", as: amara)
        await device.handover(to: bo)
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
}
