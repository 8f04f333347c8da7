// SPDX-License-Identifier: Apache-2.0
import Testing

extension ForeignClientsTests {
    /// roadtx, which acts as a device and has its own implementation of the protocol.
    @Suite struct RoadtxTests {
        @Test(arguments: [
            "forms", "refused_join", "refresh_token", "own_key", "device_token", "leave", "refused_requests",
            "refused_people", "clock_skew",
        ])
        func `roadtx joins, gets tokens and leaves, and is refused what it must not get`(name: String) async throws {
            try await ForeignClients.lent.check("roadtx_client.py", name)
        }
    }
}
