// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import Foundation
import Processes
import Synchronization
import TestSupport
import Testing
import UnixSocket

/// What the server says of a session, and what it must hear of one.
@Suite struct ServerWordTests {
    @Test(arguments: [Door.serverRevocation, .deviceDisabled, .deviceRemoved])
    func `the server's word ends the session of its epoch by the one transaction, and no other`(door: Door) async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let agent = try world.agent(of: 1000)
                let id = try await world.signIn(through: agent)
                let epoch = try #require(Epoch(try await world.status().epoch))
                let other = try #require(Epoch(id: String(repeating: "0", count: 32), counter: epoch.counter))
                world.inputs.post(.serverEnded(other, door))
                #expect(try await world.status().session == "signedIn")

                world.inputs.post(.serverEnded(epoch, door))
                #expect(try await world.status().session == "signingOut")
                let journal = try #require(try DeviceFiles(root: Directory(path: scratch.path("device"))).journal())
                guard case .signingOut(let commit) = journal else { throw TestProblem("\(journal)") }
                #expect(commit.ended == epoch && commit.door == door && !commit.isAttempt)
                agent.say(.closed(epoch: id))
                #expect(try await world.status().session == "ready")
                // Said again, it is about nobody.
                world.inputs.post(.serverEnded(epoch, door))
                #expect(try await world.status().session == "ready")
            }
        }
    }

    @Test func `the device states its session for as long as it is signed in`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let agent = try world.agent(of: 1000)
                world.childSays(.visitWanted(ticket: 1))
                let session = try await Self.known(world)
                world.childSays(.sessionKnown(session))
                world.childSays(.browserWanted(url: "http://127.0.0.1:1/x"))
                _ = try await agent.order()
                #expect(!world.statements.isEmpty && world.statements.allSatisfy { $0.serverSession == nil })
                world.childSays(.visitSucceeded)
                let epoch = try await world.status().epoch
                let stated = try #require(world.statements.last)
                #expect(stated.serverSession == "s-1" && stated.epoch.description == epoch && stated.join != nil)
                world.order(.signOut(fromBrowser: false))
                _ = try await world.status()
                let after = try #require(world.statements.last)
                #expect(after.serverSession == nil && after.epoch.counter == stated.epoch.counter + 1)
            }
        }
    }

    @Test func `an attempt that dies before its session is known is ended at the server by its epoch`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                world.childSays(.visitWanted(ticket: 1))
                let epoch = try await Self.visitEpoch(world)
                world.childSays(.visitFailed(OperatorFailure(code: "x", message: "x", remedy: "x")))
                #expect(try await world.status().session == "ready")
                #expect(try Self.ends(scratch) == [EndedSession(serverSession: "", epoch: epoch, fromBrowser: false)])
            }
        }
    }

    @Test func `the id of an app's sign-out waits with the end that the server has to hear`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                world.childSays(.visitWanted(ticket: 1))
                let session = try await Self.known(world)
                world.childSays(.sessionKnown(session))
                world.childSays(.visitSucceeded)
                let id = "0af3c2b1-0000-4000-8000-000000000001"
                let (ours, theirs) = try Connection.pair(maximumFrame: Wire.maximumFrame)
                world.childSays(.endWanted(requestID: "1", fromBrowser: true, correlationID: id), [theirs.descriptor])
                #expect(try await world.status().session == "ready")
                withExtendedLifetime(ours) {}
                #expect(
                    try Self.ends(scratch) == [
                        EndedSession(serverSession: "s-1", epoch: session.epoch, fromBrowser: true, correlationID: id)
                    ])
                // The server knows: only this one is forgotten.
                let other = EndedSession(serverSession: "s-1", epoch: "9.x", fromBrowser: false)
                world.childSays(.serverSessionEnded(other), child: 2)
                _ = try await world.status()
                #expect(try Self.ends(scratch).count == 1)
                world.childSays(.serverSessionEnded(try Self.ends(scratch)[0]), child: 2)
                _ = try await world.status()
                #expect(try Self.ends(scratch).isEmpty)
            }
        }
    }

    @Test func `of ends that the server does not hear the newest are kept, and the device starts with them`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                for number in 0..<300 {
                    let late = EndedSession(serverSession: "s-\(number)", epoch: "\(number).x", fromBrowser: false)
                    world.childSays(.sessionKnown(late), child: 77)
                }
                _ = try await world.status()
            }
            #expect(try Self.ends(scratch).map(\.serverSession) == (44..<300).map { "s-\($0)" })
            try await SupervisorWorld.with(scratch) { world in
                let status = try await world.status()
                #expect(status.session == "ready")
            }
        }
    }

    @Test func `an operator's sign-out that goes on is answered after half a minute`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let agent = try world.agent(of: 1000)
                let id = try await world.signIn(through: agent)
                let reply = Mutex<OperatorReply?>(nil)
                world.inputs.post(.operatorAsked(.signOut(fromBrowser: false)) { said in reply.withLock { $0 = said } })
                #expect(try await world.status().session == "signingOut")
                world.clock.pass(.milliseconds(29_999))
                _ = try await world.status()
                #expect(reply.withLock(\.self) == nil)
                world.clock.pass(.milliseconds(1))
                _ = try await world.status()
                guard case .failed(let failure) = reply.withLock(\.self) else { throw TestProblem("no answer") }
                #expect(failure.code == "sign_out_unfinished")
                agent.say(.closed(epoch: id))
                #expect(try await world.ask(.signOut(fromBrowser: false)) == .done)
            }
        }
    }

    private static func ends(_ scratch: Scratch) throws -> [EndedSession] {
        try DeviceFiles(root: Directory(path: scratch.path("device"))).endedSessions()
    }

    /// The epoch of the visit that has begun, as the journal has it.
    private static func visitEpoch(_ world: SupervisorWorld) async throws -> String {
        _ = try await world.status()
        let files = DeviceFiles(root: Directory(path: world.scratch.path("device")))
        guard case .signingIn(let epoch)? = try files.journal() else { throw TestProblem("no visit") }
        return epoch.description
    }

    private static func known(_ world: SupervisorWorld) async throws -> EndedSession {
        EndedSession(serverSession: "s-1", epoch: try await visitEpoch(world), fromBrowser: false)
    }
}
