// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Glibc
import JSON
import Processes
import SessionIPC
import TestSupport
import Testing
import UnixSocket

/// The limits on the agents and operators that the broker serves at once.
@Suite struct PlaceTests {
    @Test(arguments: [("agent.sock", 4), ("control.sock", 8)])
    func `the connections of one user are limited, and a closed connection frees its place`(
        socket: String, limit: Int
    ) async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                // The answer shows that the sockets are open.
                _ = try await fixture.status()
                let path = scratch.path("run/" + socket)
                var served: [FrameConnection] = []
                for _ in 0..<limit { served.append(try await connect(to: path)) }
                #expect(try await isEnded(try await connect(to: path)))
                #expect(served.allSatisfy { !$0.descriptor.withNumber { isReadable($0) } })

                // The broker closes its side of a connection when the place is free.
                let last = served.removeLast()
                _ = last.descriptor.withNumber { shutdown($0, Int32(SHUT_WR)) }
                #expect(try await isEnded(last))
                let next = try await connect(to: path)
                #expect(try await isEnded(try await connect(to: path)))
                #expect(!next.descriptor.withNumber { isReadable($0) })
            }
        }
    }

    @Test func `only an idle operator's connection is closed to make room`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch, helloPatience: .seconds(2)) { fixture in
                let agent = try fixture.agent(of: geteuid())
                let epoch = try await fixture.signIn(through: agent)
                let waiting = try await ask(#"{"signOut":{"fromBrowser":false}}"#, scratch)
                let answered = try await ask(#"{"status":{}}"#, scratch)
                _ = try await blocking { try answered.read() }
                var held = [answered]
                for _ in 0..<6 { held.append(try await connect(to: scratch.path("run/control.sock"))) }
                for connection in held { #expect(try await isEnded(connection, within: 30_000)) }
                #expect(!waiting.descriptor.withNumber { isReadable($0) })
                #expect(try await agent.order() == .close(epoch: epoch))
                agent.say(.closed(epoch: epoch))
                _ = try await blocking { try waiting.read() }
            }
        }
    }

    /// Sends an operator's request.
    private func ask(_ request: String, _ scratch: Scratch) async throws -> FrameConnection {
        let path = scratch.path("run/control.sock")
        return try await blocking {
            let connection = try FrameConnection.connect(to: path, maximumFrame: Wire.operatorLimits.bytes)
            try connection.write(Array(request.utf8))
            return connection
        }
    }

    @Test(arguments: [("agent.sock", 4), ("control.sock", 8)])
    func `another user's flood of connections excludes no operator or agent`(socket: String, limit: Int) async throws {
        try #require(getuid() == 0, "a process of another user needs the right to make one")
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.status()
                // The broker checks the user itself, whatever the file modes allow.
                for (path, mode) in [(scratch.path, 0o755), (scratch.path("run/" + socket), 0o666)] {
                    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                }
                let flood = try await RunningProgram.start(
                    "/usr/bin/setpriv",
                    [
                        "--reuid", "61203", "--clear-groups", "/usr/bin/python3", "-c", Self.flood,
                        scratch.path("run/" + socket),
                    ], log: "flood", awaitsReady: false, in: scratch)
                // The flood's connections are closed as fast as it opens them, while the connections below are served.
                async let code = flood.waitForExit()
                var served: [FrameConnection] = []
                for _ in 0..<limit { served.append(try await connect(to: scratch.path("run/" + socket))) }
                #expect(try await isEnded(try await connect(to: scratch.path("run/" + socket))))
                #expect(served.allSatisfy { !$0.descriptor.withNumber { isReadable($0) } })
                #expect(try await code == 0)
            }
        }
    }

    /// Connects a thousand times, and waits until each connection is closed.
    private static let flood = """
        import socket, sys
        for number in range(1000):
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(60)
            connection.connect(sys.argv[1])
            assert connection.recv(1) == b""
        """

    @Test func `connections that the session process has not accepted are limited, and do not delay operators`()
        async throws
    {
        // Raise the limit as `batond` does. If a process may open only a few files, the limits are lower.
        OpenFileLimit.raise(to: ConnectionLimits.wantedFiles)
        try await Scratch.with { scratch in
            // The fixture's session process does not take apps' connections.
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.status()
                var apps: [FrameConnection] = []
                for _ in 0..<300 { apps.append(try await connect(to: scratch.path("run/broker.sock"))) }
                // Of the 300 connections, 64 wait, the limit for one process. Another 32 were passed on to a process
                // that drops them, and the rest were displaced.
                let left = try await blocking { [apps] in try Self.awaitEnds(of: apps, untilLeft: 64) }
                #expect(left == 64)
                let reports = try #require(try await fixture.status().connectionLimits)
                #expect(reports.map(\.limit) == [.process] && reports.map(\.stage) == [.waiting])
                #expect(reports.first.map { $0.held == 64 && (200...204).contains($0.closed) } == true)
            }
        }
    }

    /// Waits until at most `wanted` connections are left, and returns their number.
    private static func awaitEnds(of connections: [FrameConnection], untilLeft wanted: Int) throws -> Int {
        var left = connections
        while left.count > wanted {
            var questions = left.map {
                pollfd(fd: $0.descriptor.withNumber { $0 }, events: Int16(POLLIN), revents: 0)
            }
            guard unsafe poll(&questions, nfds_t(questions.count), 120_000) > 0 else { break }
            left.removeAll(where: \.descriptor.isEnded)
        }
        return left.count
    }

    private func connect(to path: String) async throws -> FrameConnection {
        try await blocking { try FrameConnection.connect(to: path, maximumFrame: Wire.agentLimits.bytes) }
    }

    /// Whether the broker closes the connection. In this fixture, the broker waits a long time for a hello.
    private func isEnded(_ connection: FrameConnection, within milliseconds: Int32 = 120_000) async throws -> Bool {
        try connection.descriptor.setReceiveTimeout(milliseconds: milliseconds)
        return try await blocking {
            do throws(FrameConnection.ReadFailure) { _ = try connection.read() } catch { return error == .ended }
            return false
        }
    }
}
