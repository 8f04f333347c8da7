// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// How the listeners handle bytes that no well-behaved client sends; see `Tests/ForeignClients/wire.py`.
@Suite(.serialized, .foreignClients) struct WireTests {
    private static func check(_ name: String) async throws { try await ForeignClients.lent.check("wire.py", name) }

    @Test(arguments: ["good", "smuggling", "host", "limits"])
    func `each sequence of raw bytes gets one answer or none`(name: String) async throws { try await Self.check(name) }

    @Test func `the devices' listener answers only to its own host name`() async throws {
        try await Self.check("device_host")
    }

    @Test(.foreignClients(["connections": 16]))
    func `a connection beyond the limit waits until another one ends`() async throws { try await Self.check("crowd") }

    /// Requests that take longer than a server with short deadlines allows.
    @Suite(.serialized, .foreignClients(["connections": 60, "requestDeadline": 2])) struct Deadlines {
        @Test func `a client that sends a body byte by byte is cut off, and nobody else`() async throws {
            try await check("slow")
        }

        @Test func `the devices' listener cuts off a client that sends a body byte by byte`() async throws {
            try await check("slow_device")
        }

        @Test func `a client that reads no answer is cut off`() async throws { try await check("deaf") }

        @Test func `one address takes at most a quarter of a listener's places, and the log says so`()
            async throws
        {
            try await check("mute")
            // One line for each of the two listeners, not one for each of their 55 refused connections.
            let lines = try ForeignClients.lent.server.log().split(separator: "\n").filter {
                $0.contains("connections refused")
            }
            #expect(lines.count == 2)
            #expect(lines.allSatisfy { $0.contains("connections.share=15") })
        }
    }
}
