// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Files
import Processes
import Receipts
import SessionIPC
import TestSupport
import Testing

/// The messages to apps at the end of a session, and the consequences for apps that do not answer.
@Suite(.timeLimit(.minutes(10))) struct AppEndTests {
    private let eraser: AppEraser = "org.example.ward"
    private var app: String { eraser.bundleID }

    @Test func `apps that asked for a notice of the end have half a second to save, and no longer`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let epoch = try await fixture.epoch()
                fixture.sessionProcessSends(.listenerArrived(epoch: epoch))
                fixture.order(.signOut(fromBrowser: false))
                #expect(try await fixture.sessionProcessReceives(.willEnd) == .willEnd(epoch: epoch, milliseconds: 500))
                #expect(try await fixture.status().session == "ending")
                fixture.clock.pass(.milliseconds(499))
                #expect(try await fixture.status().session == "ending")
                #expect(try await fixture.epoch() == epoch)
                fixture.clock.pass(.milliseconds(1))
                #expect(try await fixture.status().session == "signingOut")
                #expect(try fixture.trigger() == .operator)
            }
        }
    }

    @Test func `the session ends at once when every app has saved`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let epoch = try await fixture.epoch()
                fixture.sessionProcessSends(.listenerArrived(epoch: epoch))
                fixture.order(.seat(.dock))
                #expect(try await fixture.status().session == "ending")
                fixture.sessionProcessSends(.appsReady(epoch: epoch))
                #expect(try await fixture.status().session == "signingOut")
                #expect(try fixture.trigger() == .dock)
            }
        }
    }

    @Test func `an app with unsaved work has five seconds, and the others still have half a second`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let epoch = try await listening(fixture, unsaved: [app])
                fixture.order(.signOut(fromBrowser: false))
                #expect(
                    try await fixture.sessionProcessReceives(.willEnd) == .willEnd(epoch: epoch, milliseconds: 5000))
                _ = try await fixture.status()
                fixture.clock.pass(.milliseconds(500))
                #expect(try await fixture.status().session == "ending")
                // This app reports that it has saved its work. The time of the other apps is already over.
                fixture.sessionProcessSends(.unsavedWork(apps: [], epoch: epoch))
                #expect(try await fixture.status().session == "signingOut")
            }
        }
    }

    @Test func `an app that does not save is waited for no longer than five seconds`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let epoch = try await listening(fixture, unsaved: [app])
                fixture.order(.signOut(fromBrowser: false))
                #expect(try await fixture.status().session == "ending")
                fixture.clock.pass(.milliseconds(4999))
                #expect(try await fixture.status().session == "ending")
                #expect(try await fixture.epoch() == epoch)
                fixture.clock.pass(.milliseconds(1))
                #expect(try await fixture.status().session == "signingOut")
            }
        }
    }

    @Test func `an app that has saved before the end is not waited for`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let epoch = try await listening(fixture, unsaved: [app])
                fixture.sessionProcessSends(.unsavedWork(apps: [], epoch: epoch))
                fixture.order(.signOut(fromBrowser: false))
                #expect(
                    try await fixture.sessionProcessReceives(.willEnd) == .willEnd(epoch: epoch, milliseconds: 500))
                _ = try await fixture.status()
                fixture.clock.pass(.milliseconds(500))
                #expect(try await fixture.status().session == "signingOut")
            }
        }
    }

    @Test func `unsaved work does not delay an end that is not graceful`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let epoch = try await listening(fixture, unsaved: [app])
                fixture.order(.signOut(fromBrowser: false))
                #expect(try await fixture.status().session == "ending")
                fixture.inputs.post(.serverEnded(epoch, .deviceDisabled))
                #expect(try await fixture.status().session == "signingOut")
                #expect(try fixture.trigger() == .deviceDisabled)
            }
        }
    }

    @Test func `an end by the server does not wait until apps have saved`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let epoch = try await fixture.epoch()
                fixture.sessionProcessSends(.listenerArrived(epoch: epoch))
                fixture.order(.signOut(fromBrowser: false))
                #expect(try await fixture.status().session == "ending")
                fixture.inputs.post(.serverEnded(epoch, .serverRevocation))
                #expect(try await fixture.status().session == "signingOut")
                #expect(try fixture.trigger() == .serverRevocation)
            }
        }
    }

    @Test func `the device waits for an app that erases, and locks no app that has erased`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let ended = try await signOut(fixture)
                #expect(try await fixture.status().pending == ["app:" + app])
                fixture.sessionProcessSends(
                    .eraserAnswered(eraser, .unseen, ended: ended, .done, requestID: 9), sessionProcess: 2)
                let status = try await fixture.status()
                #expect(status.session == "ready" && status.lockedApps.isEmpty)
                #expect(
                    try await fixture.sessionProcessReceives(.appSettled) == .appSettled(requestID: 9, accepted: true))
            }
        }
    }

    @Test func `a silent app delays the device for three seconds, and is then locked`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let ended = try await signOut(fixture)
                fixture.clock.pass(.milliseconds(2_999))
                #expect(try await fixture.status().session == "signingOut")
                fixture.clock.pass(.milliseconds(1))
                let status = try await fixture.status()
                #expect(status.session == "ready" && status.lockedApps == [app])
                #expect(try await fixture.sessionProcessReceives(.locks) == .locks([eraser: ended]))
            }
        }
    }

    @Test func `an app with two erasers is locked until both have erased, and none confirms for the other`()
        async throws
    {
        try await Scratch.with { scratch in
            let (notes, cache): (AppEraser, AppEraser) = ("org.example.ward:notes", "org.example.ward:cache")
            try await SupervisorFixture.with(scratch) { fixture in
                let ended = try await signOut(fixture, [notes, cache])
                #expect(try await fixture.status().pending == ["app:" + app])
                fixture.sessionProcessSends(
                    .eraserAnswered(notes, .unseen, ended: ended, .done, requestID: 9), sessionProcess: 2)
                // The eraser without a name is a different eraser.
                fixture.sessionProcessSends(
                    .eraserAnswered(eraser, .unseen, ended: ended, .done, requestID: 10), sessionProcess: 2)
                #expect(try await fixture.status().pending == ["app:" + app])
                fixture.clock.pass(.seconds(3))
                #expect(try await fixture.status().lockedApps == [app])
                #expect(try await fixture.sessionProcessReceives(.locks) == .locks([cache: ended]))
                fixture.sessionProcessSends(
                    .eraserAnswered(notes, .unseen, ended: ended, .done, requestID: 11), sessionProcess: 2)
                #expect(try await fixture.status().lockedApps == [app])
                fixture.sessionProcessSends(
                    .eraserAnswered(cache, .unseen, ended: ended, .done, requestID: 12), sessionProcess: 2)
                #expect(try await fixture.status().lockedApps.isEmpty)
            }
            let book = ReceiptStore(directory: Directory(path: scratch.path("device/receipts")))
            let receipt = try #require(ReceiptFile(bytes: try book.export()).receipts.first?.receipt)
            #expect(receipt.items.filter { $0.name == "app:" + app }.map(\.result) == [.unanswered])
        }
    }

    @Test func `an app registers sixteen erasers and no more`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let epoch = try await fixture.epoch()
                for number in 0...HandoverName.maximumCount {
                    let letter = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(number)))
                    let eraser = try #require(AppEraser(bundleID: app, name: letter))
                    fixture.sessionProcessSends(
                        .eraserEnlisted(eraser, .unseen, epoch: epoch, requestID: UInt64(number)))
                    let isAccepted = number < HandoverName.maximumCount
                    #expect(
                        try await fixture.sessionProcessReceives(.appSettled, .appIsFull)
                            == (isAccepted
                                ? .appSettled(requestID: UInt64(number), accepted: true)
                                : .appIsFull(requestID: UInt64(number))))
                }
            }
        }
    }

    @Test func `an app that could not erase stays locked over restarts until it has erased that epoch`()
        async throws
    {
        try await Scratch.with { scratch in
            var ended = try #require(Epoch("1." + String(repeating: "b", count: 32)))
            try await SupervisorFixture.with(scratch) { fixture in
                ended = try await signOut(fixture)
                fixture.sessionProcessSends(
                    .eraserAnswered(eraser, .unseen, ended: ended, .failed, requestID: 9), sessionProcess: 2)
                let status = try await fixture.status()
                #expect(status.session == "ready" && status.lockedApps == [app])
            }
            try await SupervisorFixture.with(scratch) { fixture in
                #expect(try await fixture.status().lockedApps == [app])
                // A locked app cannot have data of this session, and it is not asked again.
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let epoch = try await fixture.epoch()
                fixture.sessionProcessSends(.eraserEnlisted(eraser, .unseen, epoch: epoch, requestID: 1))
                #expect(
                    try await fixture.sessionProcessReceives(.appSettled) == .appSettled(requestID: 1, accepted: false))
                let other = try #require(Epoch("1." + String(repeating: "a", count: 32)))
                for word in [(other, EraserReport.Result.done), (ended, .failed)] {
                    fixture.sessionProcessSends(.eraserAnswered(eraser, .unseen, ended: word.0, word.1, requestID: 2))
                    #expect(try await fixture.status().lockedApps == [app])
                }
                fixture.sessionProcessSends(.eraserAnswered(eraser, .unseen, ended: ended, .done, requestID: 3))
                #expect(try await fixture.status().lockedApps.isEmpty)
            }
            try await SupervisorFixture.with(scratch) { fixture in
                let locked = try await fixture.status().lockedApps
                #expect(locked.isEmpty)
            }
        }
    }

    @Test func `the next supervisor asks the app again, and earlier answers are not lost`() async throws {
        try await Scratch.with { scratch in
            let second: AppEraser = "org.example.round"
            try await SupervisorFixture.with(scratch) { fixture in
                let ended = try await signOut(fixture, [eraser, second])
                fixture.sessionProcessSends(
                    .eraserAnswered(eraser, .unseen, ended: ended, .done, requestID: 9), sessionProcess: 2)
                #expect(try await fixture.status().pending == ["app:" + second.bundleID])
            }
            try await SupervisorFixture.with(scratch) { fixture in
                #expect(try await fixture.status().pending.contains("app:" + second.bundleID))
                fixture.clock.pass(.seconds(3))
                let agent = try fixture.agent(of: 1000)
                guard case .close(let id) = try await agent.order() else { throw TestProblem("no order") }
                agent.say(.closed(epoch: id))
                let status = try await fixture.status()
                #expect(status.session == "ready" && status.lockedApps == [second.bundleID])
            }
        }
    }

    @Test func `the receipt has the time at which each app answered`() async throws {
        try await Scratch.with { scratch in
            let silent: AppEraser = "org.example.round"
            try await SupervisorFixture.with(scratch) { fixture in
                let ended = try await signOut(fixture, [eraser, silent])
                fixture.clock.pass(.seconds(1))
                fixture.sessionProcessSends(
                    .eraserAnswered(eraser, .unseen, ended: ended, .done, requestID: 9), sessionProcess: 2)
                #expect(try await fixture.status().pending == ["app:" + silent.bundleID])
                fixture.clock.pass(.seconds(2))
                #expect(try await fixture.status().session == "ready")
            }
            let book = ReceiptStore(directory: Directory(path: scratch.path("device/receipts")))
            let receipt = try #require(ReceiptFile(bytes: try book.export()).receipts.first?.receipt)
            let times = Dictionary(uniqueKeysWithValues: receipt.items.map { ($0.name, $0.at - HandClock.began) })
            #expect(times["session_key"] == 0 && times["app:" + app] == 1 && times["app:" + silent.bundleID] == 3)
        }
    }

    @Test func `the data of an epoch that has not ended cannot be erased`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let epoch = try await fixture.epoch()
                fixture.sessionProcessSends(.eraserAnswered(eraser, .unseen, ended: epoch, .done, requestID: 4))
                #expect(
                    try await fixture.sessionProcessReceives(.appSettled) == .appSettled(requestID: 4, accepted: false))
            }
        }
    }

    @Test func `a browser that cannot be removed blocks the device, and the status explains it`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                let id = try await fixture.signIn(through: agent)
                fixture.order(.signOut(fromBrowser: false))
                agent.say(.closeFailed(epoch: id, code: "not_cleared", message: ""))
                let problem = try #require(try await fixture.status().problems.first)
                #expect(problem.contains("cannot be removed (not_cleared)"))
                agent.leave()
                #expect(try await fixture.status().problems.first?.contains("Start baton-agent") == true)
                #expect(try await fixture.status().session == "signingOut")
                let next = try fixture.agent(of: 1000)
                next.say(.closed(epoch: id))
                #expect(try await fixture.status().session == "ready")
                #expect(try await fixture.status().problems.isEmpty)
            }
        }
    }

    /// Signs in a worker whose apps listen for the end of the session; the apps in `unsaved` have unsaved work.
    private func listening(_ fixture: SupervisorFixture, unsaved: [String]) async throws -> Epoch {
        _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
        let epoch = try await fixture.epoch()
        fixture.sessionProcessSends(.listenerArrived(epoch: epoch))
        fixture.sessionProcessSends(.unsavedWork(apps: unsaved, epoch: epoch))
        return epoch
    }

    /// Ends a session of these apps with erasers; the browser is cleared.
    ///
    /// - Returns: the epoch that ended.
    private func signOut(_ fixture: SupervisorFixture, _ erasers: [AppEraser] = ["org.example.ward"]) async throws
        -> Epoch
    { try await fixture.signOut(erasers.map { ($0, .unseen) }) }
}
