// SPDX-License-Identifier: Apache-2.0
import OAuth
import TestSupport
import Testing

extension LiveDevice {
    /// Password guesses from elsewhere do not lock out the worker at the device.
    @Suite struct StrangerTests {
        @Test func `a worker signs in on the device even while strangers guess at the password`() async throws {
            let live = try await LiveEnvironment.ready()
            let person = try live.person("Amara")
            let guesses = [String](repeating: "wrong", count: 10) + [person.password]
            #expect(try await live.guesses(guesses, at: person.userName).suffix(2) == ["50126", "50053"])
            // The worker's browser has no cookies, and its address is the same as that of the strangers.
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            #expect(try await app.signOut(amara))
            #expect(try await live.guesses([person.password], at: person.userName) == ["50053"])
            try await live.administer("user", "unlock", person.userName)
            #expect(try await live.guesses([person.password], at: person.userName) == ["in"])
        }
    }
}

extension LiveEnvironment {
    /// The sign-in page's answer to each of these passwords; see Tests/Clients/password_guesser.py.
    fileprivate func guesses(_ passwords: [String], at name: String) async throws -> [String] {
        let stranger = try await runAside(
            "Clients/password_guesser.py",
            [
                "\(facts.port)", path("server/ca/root.pem"), facts.tenantID, WellKnownApplication.broker, name,
            ] + passwords, awaitsReady: false)
        #expect(try await stranger.waitForExit() == 0)
        return try stranger.log().split(separator: "\n").map(String.init)
    }
}
