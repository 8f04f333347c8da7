// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Glibc
import Processes
import SessionIPC
import TestSupport
import Testing
import UnixSocket

/// Only one program at a time is the agent. It remains the agent until the kernel reports that it has ended. Tested at
/// the real socket.
@Suite(.timeLimit(.minutes(10))) struct AgentPlaceTests {
    /// Connects to the agent's socket as a program that says hello.
    private func connect(_ fixture: SupervisorFixture) async throws -> FramedJSON<AgentOrder, AgentMessage> {
        let path = fixture.scratch.path("run/agent.sock")
        return try await blocking {
            let channel = try FramedJSON<AgentOrder, AgentMessage>.connect(to: path, limits: Wire.agentLimits)
            try channel.connection.descriptor.setReceiveTimeout(milliseconds: 60_000)
            try channel.send(.hello(version: AgentMessage.version))
            return channel
        }
    }

    private func isCutOff(_ channel: FramedJSON<AgentOrder, AgentMessage>) async throws -> Bool {
        try await blocking {
            do throws(FrameConnection.ReadFailure) { _ = try channel.connection.read() } catch {
                return error == .ended
            }
            return false
        }
    }

    /// Asks for a browser. If no agent is connected, the supervisor waits for an agent.
    private func askForBrowser(_ fixture: SupervisorFixture) {
        fixture.sessionProcessSends(.signInRequested(requestID: 1))
        fixture.sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"))
    }

    @Test func `while an agent is connected, another program is cut off and the agent continues`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                #expect(try await !fixture.status().agentConnected)
                askForBrowser(fixture)
                let agent = try await connect(fixture)
                guard case .open(_, let epoch, _, _) = try await agent.order() else {
                    throw TestProblem("no browser")
                }
                // During a sign-in, and while nobody is at the device.
                #expect(try await isCutOff(connect(fixture)))
                fixture.order(.signOut(fromBrowser: false))
                #expect(try await agent.order() == .close(epoch: epoch))
                try agent.send(.closed(epoch: epoch))
                try await fixture.isReady()
                #expect(try await isCutOff(connect(fixture)))
                let status = try await fixture.status()
                #expect(status.agentConnected && status.agentPID == getpid() && status.agentUser == getuid())
                fixture.sessionProcessSends(.signInRequested(requestID: 2), sessionProcess: 2)
                fixture.sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"), sessionProcess: 2)
                guard case .open = try await agent.order() else {
                    throw TestProblem("no browser")
                }
            }
        }
    }

    /// A program that says hello, leaves its connection to a process that it starts, and ends at the first order.
    private static let abandoned = """
        import json, os, socket, sys
        link = socket.socket(socket.AF_UNIX)
        link.connect(sys.argv[1])
        hello = json.dumps({"hello": {"version": int(sys.argv[2])}}).encode()
        link.sendall(len(hello).to_bytes(4, "big") + hello)
        link.recv(4)
        if os.fork() == 0:
            while link.recv(4096):
                pass
        """

    @Test func `an agent that has ended does not block its successor, even if its connection is open`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                askForBrowser(fixture)
                let status = try await fixture.status()
                #expect(status.session == "signingIn")
                let first = try await RunningProgram.start(
                    "/usr/bin/python3",
                    ["-c", Self.abandoned, scratch.path("run/agent.sock"), String(AgentMessage.version)],
                    log: "agent.log", awaitsReady: false, in: scratch)
                #expect(try await first.waitForExit() == 0)
                fixture.order(.signOut(fromBrowser: false))
                let next = try await connect(fixture)
                guard case .close(let epoch) = try await next.order() else {
                    throw TestProblem("no order")
                }
                try next.send(.closed(epoch: epoch))
                try await fixture.isReady()
            }
        }
    }
}

extension SupervisorFixture {
    /// Waits until the device is ready.
    fileprivate func isReady() async throws {
        guard case .done = try await ask(.signOut(fromBrowser: false)) else { throw TestProblem("not ready") }
    }
}
