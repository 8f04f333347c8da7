// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// The listener and bytes that no well-meaning client sends; see `Tests/ForeignClients/wire.py`.
@Suite struct WireTests {
    @Test(arguments: ["good", "smuggling", "host", "limits"])
    func `raw bytes get one answer or none`(name: String) async throws {
        try await Scratch.with { scratch in try await ForeignClients(in: scratch).check("wire.py", name) }
    }

    @Test func `who sends a body byte by byte is hung up on, and nobody else`() async throws {
        try await Scratch.with { scratch in
            try await ForeignClients(["requestDeadline": 2], in: scratch).check("wire.py", "slow")
        }
    }

    @Test func `the devices' listener hangs up on who sends a body byte by byte`() async throws {
        try await Scratch.with { scratch in
            try await ForeignClients(["requestDeadline": 2], in: scratch).check("wire.py", "slow_device")
        }
    }

    @Test func `who asks and reads no answer is hung up on`() async throws {
        try await Scratch.with { scratch in
            try await ForeignClients(["requestDeadline": 2], in: scratch).check("wire.py", "deaf")
        }
    }

    @Test func `one address takes a quarter of a listener's places and no more, and none without a word`() async throws
    {
        try await Scratch.with { scratch in
            let clients = try await ForeignClients(["connections": 60, "requestDeadline": 2], in: scratch)
            try await clients.check("wire.py", "mute")
            // The 55 that were refused are one line, or two.
            let lines = try clients.server.log().split(separator: "\n").filter { $0.contains("connections refused") }
            #expect(lines.count == 2)
            #expect(lines.allSatisfy { $0.contains("connections.share=15") })
        }
    }

    @Test func `a connection beyond the limit waits until another one ends`() async throws {
        try await Scratch.with { scratch in
            try await ForeignClients(["connections": 16], in: scratch).check("wire.py", "crowd")
        }
    }
}
