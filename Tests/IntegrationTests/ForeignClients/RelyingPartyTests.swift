// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

extension ForeignClientsTests {
    /// Relying parties from others: Authlib in Flask, and Debian's module for Apache; see `Tests/ForeignClients`.
    @Suite struct RelyingPartyTests {
        private func check(_ script: String, _ name: String) async throws {
            try await ForeignClients.lent.check(script, name)
        }

        @Test func `a Flask application signs its people in by Authlib`() async throws {
            try await check("relying_party.py", "sign_in")
        }

        @Test func `Authlib takes no answer that was meant for another, or that it had before`() async throws {
            try await check("relying_party.py", "mix_up")
        }

        @Test func `Authlib gets on with a clock that is a minute off, and with no other`() async throws {
            try await check("relying_party.py", "clock_skew")
        }

        @Test func `a Flask application signs its people out`() async throws {
            try await check("relying_party.py", "sign_out")
        }

        @Test func `a Flask application proves itself by its secret`() async throws {
            try await check("relying_party.py", "secret")
        }

        @Test func `a Flask application has asked what it wants asked`() async throws {
            try await check("relying_party.py", "prompts")
        }

        @Test func `Apache lets in whom we vouch for`() async throws { try await check("apache.py", "sign_in") }

        @Test func `Apache takes the answer as a posted form`() async throws {
            try await check("apache.py", "form_post")
        }

        @Test func `Apache signs out here and there`() async throws { try await check("apache.py", "sign_out") }

        @Test func `Apache takes no answer that nobody asked for`() async throws {
            try await check("apache.py", "refusals")
        }
    }
}
