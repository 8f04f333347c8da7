// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Processes
import Receipts
import SessionIPC
import Synchronization
import TestSupport
import Testing
import UnixSocket

/// What a receipt states if the helper's search for folders is older than the session. The test plays the helper,
/// because the real one ends its search at a moment that no test can choose.
@Suite(.timeLimit(.minutes(3))) struct OlderSearchTests {
    private typealias Channel = FramedJSON<HelperRequest, HelperReply>

    /// Five seconds before the test, and an hour after it, in seconds since the machine was started.
    private static let (before, after) = (
        Int(BootClock.now().components.seconds) - 5, Int(BootClock.now().components.seconds) + 3600
    )

    /// Answers as a helper whose search for folders began at this time.
    ///
    /// - Parameter asked: called with the time in the request. Only files that have changed since that time are
    ///   reported.
    private static func serve(
        _ connection: Descriptor, _ scratch: Scratch, foldersSearched: Int?, files: [String], asked: (Int) -> Void
    ) {
        let channel = Channel(connection, limits: Wire.helperLimits)
        func reported(_ since: Int) -> HelperReply {
            asked(since)
            return .left(home: "/home/ward", files: files, unread: [], foldersSearched: foldersSearched)
        }
        while let request = try? channel.receive().message {
            let reply: HelperReply =
                switch request {
                case .list: .sessions(storage: [], groups: [])
                case .makeStorage(let epoch, _): .storage(path: scratch.path("s/\(epoch)"), isSwapFree: true)
                case .report(_, let since):
                    reported(since)
                case .removeStorage, .addProcess, .kill: .done
                }
            guard (try? channel.send(reply)) != nil else { return }
        }
    }

    /// The receipt of a session after which the helper looked for files in folders that it had found at this time.
    private func receipt(
        foldersSearched: Int?, files: [String] = [], asked: @escaping @Sendable (Int) -> Void = { _ in },
        during session: (SupervisorFixture) -> Void = { _ in }
    ) async throws -> Receipt {
        try await Scratch.with { scratch in
            let listener = try Listener(path: scratch.path("helper.sock"), mode: 0o600)
            let helper = Task.detached {
                try await blocking {
                    Self.serve(
                        try listener.accept(), scratch, foldersSearched: foldersSearched, files: files, asked: asked)
                }
            }
            try await SupervisorFixture.with(scratch, helper: scratch.path("helper.sock")) { fixture in
                let agent = try fixture.agent(of: 1000)
                fixture.sessionProcessSends(.signInRequested(requestID: 1))
                fixture.sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"))
                guard case .confine = try await agent.order(), case .open(_, let epoch, _, _) = try await agent.order()
                else { throw TestProblem("no browser") }
                fixture.sessionProcessSends(.signInSucceeded)
                session(fixture)
                fixture.order(.signOut(fromBrowser: false))
                while try await agent.order() != .examine(epoch: epoch) {}
                agent.say(.examined(epoch: epoch, BrowserExamination(.ending)))
                while try await agent.order() != .close(epoch: epoch) {}
                agent.say(.closed(epoch: epoch))
                while try await fixture.status().session != "ready" {}
            }
            _ = try await helper.value
            return try #require(try Shelf(scratch).file().receipts.first?.receipt)
        }
    }

    @Test func `a search that began before the session is named, and newer folders count as not looked at`()
        async throws
    {
        let receipt = try await receipt(foldersSearched: Self.before)
        #expect(receipt.remains.left == .none)
        let time = try #require(receipt.remains.foldersAsOf)
        #expect((HandClock.began - 65...HandClock.began - 5).contains(time))
        #expect(receipt.remains.unobserved?.contains("new_folders") == true)
        #expect(receipt.remains.unobserved?.contains("other_folders") == false)
    }

    @Test func `a search that began with the session or later is not named`() async throws {
        let receipt = try await receipt(foldersSearched: Self.after)
        #expect(receipt.remains.left == .none && receipt.remains.foldersAsOf == nil)
        #expect(receipt.remains.unobserved?.contains { $0.hasSuffix("_folders") } == false)
    }

    @Test func `if the clock was set back during the session, its files are looked for from before that`() async throws
    {
        let since = Mutex<Int?>(nil)
        _ = try await receipt(foldersSearched: Self.after, asked: { time in since.withLock { $0 = time } }) {
            $0.clock.setWall(by: -3600)
        }
        let asked = try #require(since.withLock { $0 })
        #expect(asked <= HandClock.began - 3600)
    }

    @Test(arguments: [-3600, 3600]) func `if the clock was set, the searches before the session are the same`(
        seconds: Int
    ) async throws {
        let older = try await receipt(foldersSearched: Self.before, during: { $0.clock.setWall(by: seconds) })
        let time = try #require(older.remains.foldersAsOf)
        #expect((HandClock.began + seconds - 65...HandClock.began + seconds - 5).contains(time))
        let newer = try await receipt(foldersSearched: Self.after, during: { $0.clock.setWall(by: seconds) })
        #expect(newer.remains.foldersAsOf == nil)
    }

    @Test func `if it is not known when the search began, the other folders count as not looked at`() async throws {
        let receipt = try await receipt(foldersSearched: nil)
        #expect(receipt.remains.left == .unknown && receipt.remains.foldersAsOf == nil)
        #expect(receipt.remains.unobserved?.contains("other_folders") == true)
    }

    @Test func `what was found is named whatever the search`() async throws {
        let receipt = try await receipt(foldersSearched: Self.before, files: ["/run/lock/note"])
        #expect(receipt.remains.left == .known([Receipt.unexplained]) && receipt.remains.foldersAsOf != nil)
    }
}
