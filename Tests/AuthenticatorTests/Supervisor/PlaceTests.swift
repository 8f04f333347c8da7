// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import Foundation
import JSON
import Processes
import TestSupport
import Testing
import UnixSocket

/// How many agents and operators the broker serves at once.
@Suite struct PlaceTests {
    @Test(arguments: [("agent.sock", 4), ("control.sock", 8)])
    func `one user's connections are limited, and a place that is left is free again`(
        socket: String, limit: Int
    ) async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                // Answered when the sockets are open.
                _ = try await world.status()
                let path = scratch.path("run/" + socket)
                var served: [Connection] = []
                for _ in 0..<limit { served.append(try await connect(to: path)) }
                #expect(try await isEnded(try await connect(to: path)))
                #expect(served.allSatisfy { !$0.descriptor.withNumber { isReadable($0) } })

                served.removeLast().shutDown()
                // The broker's thread sees the end in its own time: the place is free as soon as it has.
                var next = try await connect(to: path)
                var attempts = 0
                while try await isEnded(next, within: 50), attempts < 100 {
                    next = try await connect(to: path)
                    attempts += 1
                }
                #expect(attempts < 100)
            }
        }
    }

    private func connect(to path: String) async throws -> Connection {
        try await blocking { try Connection.connect(to: path, maximumFrame: Wire.agentLimits.bytes) }
    }

    /// Whether the broker ends the connection; in this world it has patience for a hello.
    private func isEnded(_ connection: Connection, within milliseconds: Int32 = 120_000) async throws -> Bool {
        try connection.descriptor.setReceiveTimeout(milliseconds: milliseconds)
        return try await blocking {
            do throws(Connection.ReadFailure) { _ = try connection.read() } catch { return error == .ended }
            return false
        }
    }
}
