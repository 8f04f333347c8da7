// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// msal for Python, unchanged, over TLS.
@Suite struct MSALPythonTests {
    @Test func `msal signs in with a code and a proof key`() async throws {
        try await Scratch.with { scratch in
            let clients = try await ForeignClients(in: scratch)
            try await clients.check("msal_client.py", "code")
        }
    }
}
