// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Files
import Foundation
import MDMClient
import Processes
import SessionIPC
import Synchronization
import TestSupport
import Testing
import UnixSocket

/// The server's reports about a session, and the reports that the server must get.
@Suite struct ServerWordTests {
    @Test(arguments: [SignOutTrigger.serverRevocation, .deviceDisabled, .deviceRemoved])
    func `an end by the server ends only the session of its epoch, by the usual sign-out`(
        trigger: SignOutTrigger
    )
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                let id = try await fixture.signIn(through: agent)
                let epoch = try await fixture.epoch()
                let other = Epoch(id: try #require(Epoch.ID(String(repeating: "0", count: 32))), counter: epoch.counter)
                fixture.inputs.post(.serverEnded(other, trigger))
                #expect(try await fixture.status().session == "signedIn")

                fixture.inputs.post(.serverEnded(epoch, trigger))
                #expect(try await fixture.status().session == "signingOut")
                let journal = try #require(try DeviceFiles(root: Directory(path: scratch.path("device"))).journal())
                guard case .signingOut(let commit) = journal else { throw TestProblem("\(journal)") }
                #expect(commit.ended == epoch && commit.trigger == trigger && !commit.isAttempt)
                agent.say(.closed(epoch: id))
                #expect(try await fixture.status().session == "ready")
                // When the same report is repeated, it applies to no session.
                fixture.inputs.post(.serverEnded(epoch, trigger))
                #expect(try await fixture.status().session == "ready")
            }
        }
    }

    @Test func `the device reports its session to the server while the worker is signed in`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                fixture.sessionProcessSends(.signInRequested(requestID: 1))
                let session = try await Self.known(fixture)
                fixture.sessionProcessSends(.sessionKnown(session))
                fixture.sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"))
                _ = try await agent.order()
                #expect(!fixture.statements.isEmpty && fixture.statements.allSatisfy { $0.serverSession == nil })
                fixture.sessionProcessSends(.signInSucceeded)
                let epoch = try await fixture.epoch()
                let stated = try #require(fixture.statements.last)
                #expect(stated.serverSession == "s-1" && stated.epoch == epoch && stated.join != nil)
                fixture.order(.signOut(fromBrowser: false))
                _ = try await fixture.status()
                let after = try #require(fixture.statements.last)
                #expect(after.serverSession == nil && after.epoch.counter == stated.epoch.counter + 1)
            }
        }
    }

    @Test func `an attempt that fails before its session is known is ended at the server by its epoch`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                fixture.sessionProcessSends(.signInRequested(requestID: 1))
                let epoch = try await Self.sessionEpoch(fixture)
                fixture.sessionProcessSends(.signInFailed(OperatorFailure(code: "x", message: "x", remedy: "x")))
                #expect(try await fixture.status().session == "ready")
                #expect(try Self.ends(scratch) == [EndedSession(serverSession: "", epoch: epoch, fromBrowser: false)])
            }
        }
    }

    @Test func `the correlation id of an app's sign-out is stored with the end to report to the server`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                fixture.sessionProcessSends(.signInRequested(requestID: 1))
                let session = try await Self.known(fixture)
                fixture.sessionProcessSends(.sessionKnown(session))
                fixture.sessionProcessSends(.signInSucceeded)
                let id = "0af3c2b1-0000-4000-8000-000000000001"
                let (ours, theirs) = try FrameConnection.pair(maximumFrame: Wire.maximumFrame)
                fixture.sessionProcessSends(
                    .endWanted(requestID: "1", fromBrowser: true, correlationID: id), [theirs.descriptor])
                #expect(try await fixture.status().session == "ready")
                withExtendedLifetime(ours) {}
                #expect(
                    try Self.ends(scratch) == [
                        EndedSession(serverSession: "s-1", epoch: session.epoch, fromBrowser: true, correlationID: id)
                    ])
                // The server's confirmation drops only the ended session that it names. This confirmation names a
                // different epoch.
                let other = EndedSession(serverSession: "s-1", epoch: try Self.epoch(9), fromBrowser: false)
                fixture.sessionProcessSends(.serverSessionEnded(other), sessionProcess: 2)
                _ = try await fixture.status()
                #expect(try Self.ends(scratch).count == 1)
                fixture.sessionProcessSends(.serverSessionEnded(try Self.ends(scratch)[0]), sessionProcess: 2)
                _ = try await fixture.status()
                #expect(try Self.ends(scratch).isEmpty)
            }
        }
    }

    @Test func `the newest ends that are not yet reported to the server are kept, even over a restart`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                for number in 0..<300 {
                    let late = EndedSession(
                        serverSession: "s-\(number)", epoch: try Self.epoch(number), fromBrowser: false)
                    fixture.sessionProcessSends(.sessionKnown(late), sessionProcess: 77)
                }
                _ = try await fixture.status()
            }
            #expect(try Self.ends(scratch).map(\.serverSession) == (44..<300).map { "s-\($0)" })
            try await SupervisorFixture.with(scratch) { fixture in
                let status = try await fixture.status()
                #expect(status.session == "ready")
            }
        }
    }

    @Test func `an operator's sign-out is answered after half a minute even if it is not complete`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                let id = try await fixture.signIn(through: agent)
                let reply = Mutex<OperatorReply?>(nil)
                fixture.inputs.post(
                    .operatorAsked(.signOut(fromBrowser: false)) { said in reply.withLock { $0 = said } })
                #expect(try await fixture.status().session == "signingOut")
                fixture.clock.pass(.milliseconds(29_999))
                _ = try await fixture.status()
                #expect(reply.withLock(\.self) == nil)
                fixture.clock.pass(.milliseconds(1))
                _ = try await fixture.status()
                guard case .failed(let failure) = reply.withLock(\.self) else { throw TestProblem("no answer") }
                #expect(failure.code == "sign_out_unfinished")
                agent.say(.closed(epoch: id))
                #expect(try await fixture.ask(.signOut(fromBrowser: false)) == .done)
            }
        }
    }

    private static func ends(_ scratch: Scratch) throws -> [EndedSession] {
        try DeviceFiles(root: Directory(path: scratch.path("device"))).endedSessions()
    }

    /// The epoch of the sign-in that has begun, from the journal.
    private static func sessionEpoch(_ fixture: SupervisorFixture) async throws -> Epoch {
        _ = try await fixture.status()
        let files = DeviceFiles(root: Directory(path: fixture.scratch.path("device")))
        guard case .signingIn(let epoch)? = try files.journal() else { throw TestProblem("no sign-in") }
        return epoch
    }

    private static func epoch(_ counter: Int) throws -> Epoch {
        try #require(Epoch("\(counter)." + String(repeating: "0", count: 32)))
    }

    private static func known(_ fixture: SupervisorFixture) async throws -> EndedSession {
        EndedSession(serverSession: "s-1", epoch: try await sessionEpoch(fixture), fromBrowser: false)
    }
}
