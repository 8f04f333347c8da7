// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// The listener and bytes that no well-meaning client sends; see `Tests/ForeignClients/wire.py`.
@Suite struct WireTests {
    @Test(arguments: ["good", "smuggling", "host", "limits"])
    func `raw bytes get one answer or none`(name: String) async throws {
        try await Scratch.with { scratch in try await ForeignClients(in: scratch).check("wire.py", name) }
    }
}
