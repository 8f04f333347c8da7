// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Processes
import TestSupport
import Testing
import UnixSocket

/// The listeners for health checks and metrics, which every user of the machine can reach.
@Suite(.timeLimit(.minutes(2))) struct PlainListenerTests {
    /// A connection that sends nothing, or an unfinished request.
    private final class SilentConnection {
        let socket: Descriptor

        init(to port: UInt16, sending text: String) throws {
            socket = try LoopbackSocket.connected(to: port)
            _ = socket.withNumber { unsafe send($0, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    @Test(arguments: ["", "GET /healthz HTTP/1.1\r\nHost: h"])
    func `connections without a request leave room for a health check and for a scrape`(text: String) async throws {
        try await Scratch.with { scratch in
            let (health, metrics) = (
                try #require(FreePort.tcp(in: FreePort.ofTests)), try #require(FreePort.tcp(in: FreePort.ofTests))
            )
            let server = try ServerProcess(
                ["health": ["port": Int(health)], "metrics": ["port": Int(metrics)]], in: scratch)
            try await server.start()
            for (path, port) in [("/healthz", health), ("/metrics", metrics)] {
                let held = try (0..<200).map { _ in try SilentConnection(to: port, sending: text) }
                let begun = ContinuousClock.now
                #expect(try HealthRequest(path, port).status == 200)
                // The deadlines of the silent connections come later.
                #expect(ContinuousClock.now - begun < .seconds(4))
                #expect(held[0].socket.isEnded && !held[199].socket.isEnded)
            }
            #expect(try HealthRequest("/readyz", health).status == 200)
        }
    }
}
