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

    @Test func `a connection beyond the limit waits until another one ends`() async throws {
        try await Scratch.with { scratch in
            try await ForeignClients(["connections": 16], in: scratch).check("wire.py", "crowd")
        }
    }
}
