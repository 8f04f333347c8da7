// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

extension ForeignClientsTests {
    /// Relying parties of other projects: Authlib in Flask, and Debian's module for Apache; see `Tests/ForeignClients`.
    @Suite struct RelyingPartyTests {
        private func check(_ script: String, _ name: String) async throws {
            try await ForeignClients.lent.check(script, name)
        }

        @Test func `a Flask application signs people in with Authlib`() async throws {
            try await check("relying_party.py", "sign_in")
        }

        @Test func `Authlib refuses an answer for another request and a repeated answer`() async throws {
            try await check("relying_party.py", "mix_up")
        }

        @Test func `Authlib accepts a clock that is one minute wrong, but no more`() async throws {
            try await check("relying_party.py", "clock_skew")
        }

        @Test func `a Flask application signs people out`() async throws {
            try await check("relying_party.py", "sign_out")
        }

        @Test func `a Flask application authenticates with its secret`() async throws {
            try await check("relying_party.py", "secret")
        }

        @Test func `a Flask application can choose the prompt`() async throws {
            try await check("relying_party.py", "prompts")
        }

        @Test func `Apache admits people who have signed in`() async throws { try await check("apache.py", "sign_in") }

        @Test func `Apache accepts the answer as a posted form`() async throws {
            try await check("apache.py", "form_post")
        }

        @Test func `Apache signs out here and at the server`() async throws { try await check("apache.py", "sign_out") }

        @Test func `Apache refuses an answer that it did not request`() async throws {
            try await check("apache.py", "refusals")
        }
    }
}
