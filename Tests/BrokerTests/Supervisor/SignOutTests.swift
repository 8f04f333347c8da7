// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Processes
import Redaction
import SessionIPC
import TestSupport
import Testing
import UnixSocket

/// The answer to an app that asked for the sign-out, and when the app gets it.
@Suite struct SignOutTests {
    @Test func `an app learns within ten seconds that its sign-out continues, and the device becomes ready by itself`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                let epoch = try await fixture.signIn(through: agent)
                let app = try SignOutApp(fixture)
                #expect(try await fixture.status().session == "signingOut")
                fixture.clock.pass(.milliseconds(9_999))
                // An answer would have arrived before the status.
                #expect(try await fixture.status().session == "signingOut")
                #expect(!app.hasAnswer)
                fixture.clock.pass(.milliseconds(1))
                guard case .failure(let error) = try await app.answer() else { throw TestProblem("no error") }
                #expect(error.code == .unfinished)
                #expect(try await app.hasEnded())

                agent.say(.closed(epoch: epoch))
                #expect(try await fixture.status().session == "ready")
            }
        }
    }

    @Test func `an app learns that its sign-out succeeded when the device is ready, and nothing later`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                let epoch = try await fixture.signIn(through: agent)
                let app = try SignOutApp(fixture)
                agent.say(.closed(epoch: epoch))
                guard case .success = try await app.answer() else { throw TestProblem("no success") }
                fixture.clock.pass(.seconds(60))
                #expect(try await app.hasEnded())
            }
        }
    }
}

/// An app that has asked for the sign-out.
private struct SignOutApp {
    private let connection: FrameConnection

    init(_ fixture: SupervisorFixture) throws {
        let (ours, theirs) = try FrameConnection.pair(maximumFrame: Wire.maximumFrame)
        try ours.descriptor.setReceiveTimeout(milliseconds: 120_000)
        connection = ours
        fixture.sessionProcessSends(
            .endWanted(requestID: "1", fromBrowser: true, correlationID: nil), [theirs.descriptor])
    }

    var hasAnswer: Bool { connection.descriptor.withNumber { isReadable($0) } }

    func answer() async throws -> Result<FlatMap, BrokerError> {
        let connection = connection
        let message = try await blocking {
            try BrokerMessage(
                bytes: try connection.read().body.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
            )
        }
        guard case .reply(let reply) = message, reply.requestID == "1" else { throw TestProblem("no reply") }
        return reply.outcome
    }

    func hasEnded() async throws -> Bool {
        let connection = connection
        return try await blocking {
            do throws(FrameConnection.ReadFailure) { _ = try connection.read() } catch { return error == .ended }
            return false
        }
    }
}
