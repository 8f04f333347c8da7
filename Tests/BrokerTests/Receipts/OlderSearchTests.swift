// SPDX-License-Identifier: Apache-2.0
import BrokerDevice
import BrokerIPC
import BrokerProtocol
import Foundation
import Processes
import Receipts
import TestSupport
import Testing
import UnixSocket

/// What a receipt says if the helper's search for folders is older than the session. The test plays the helper, because
/// the real one ends its search at a moment that no test can choose.
@Suite(.timeLimit(.minutes(3))) struct OlderSearchTests {
    private typealias Channel = FramedJSON<HelperRequest, HelperReply>

    /// Answers as a helper whose search for folders began at this time.
    private static func serve(_ connection: Descriptor, _ scratch: Scratch, foldersAsOf: Int, files: [String]) {
        let channel = Channel(connection, limits: Wire.helperLimits)
        while let request = try? channel.receive().message {
            let reply: HelperReply =
                switch request {
                case .list: .sessions(storage: [], groups: [])
                case .makeStorage(let epoch, _): .storage(path: scratch.path("s/\(epoch)"), isSwapFree: true)
                case .report:
                    .left(home: "/home/ward", files: files, unread: [], foldersAsOf: foldersAsOf)
                case .removeStorage, .addProcess, .kill: .done
                }
            guard (try? channel.send(reply)) != nil else { return }
        }
    }

    /// The receipt of a session whose files were looked for in folders that were found at this time.
    private func receipt(foldersAsOf: Int, files: [String] = []) async throws -> Receipt {
        try await Scratch.with { scratch in
            let listener = try Listener(path: scratch.path("helper.sock"), mode: 0o600)
            let helper = Task.detached {
                try await blocking {
                    Self.serve(try listener.accept(), scratch, foldersAsOf: foldersAsOf, files: files)
                }
            }
            try await SupervisorFixture.with(scratch, helper: scratch.path("helper.sock")) { fixture in
                let agent = try fixture.agent(of: 1000)
                fixture.sessionProcessSends(.signInRequested(requestID: 1))
                fixture.sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"))
                guard case .confine = try await agent.order(), case .open(_, let epoch, _) = try await agent.order()
                else { throw TestProblem("no browser") }
                fixture.sessionProcessSends(.signInSucceeded)
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
        let receipt = try await receipt(foldersAsOf: 1_000_000_000)
        #expect(receipt.remains.left == .none && receipt.remains.foldersAsOf == 1_000_000_000)
        #expect(receipt.remains.unobserved?.contains("new_folders") == true)
        #expect(receipt.remains.unobserved?.contains("other_folders") == false)
    }

    @Test func `a search that began with the session or later is not named`() async throws {
        let receipt = try await receipt(foldersAsOf: 3_000_000_000)
        #expect(receipt.remains.left == .none && receipt.remains.foldersAsOf == nil)
        #expect(receipt.remains.unobserved?.contains { $0.hasSuffix("_folders") } == false)
    }

    @Test func `what was found is named whatever the search`() async throws {
        let receipt = try await receipt(foldersAsOf: 1_000_000_000, files: ["/run/lock/note"])
        #expect(receipt.remains.left == .known([Receipt.unexplained]) && receipt.remains.foldersAsOf == 1_000_000_000)
    }
}
