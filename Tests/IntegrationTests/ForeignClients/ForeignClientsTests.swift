// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// The harness itself: what it lets through, and that it lets nothing else through.
@Suite(.serialized, .foreignClients) struct ForeignClientsTests {
    @Test func `a name of the list leads to our server, under our certificate; any other is refused`() async throws {
        let clients = try ForeignClients.lent
        try await clients.check("harness.py", "names")
        let asked = try clients.asked()
        #expect(asked.contains("led login.microsoftonline.com"))
        #expect(asked.contains("refused pypi.org"))
        #expect(asked.contains("refused GET"))
    }
}
