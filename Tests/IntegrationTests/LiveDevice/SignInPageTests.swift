// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

extension LiveDevice {
    /// The sign-in page of the identity platform, in a real Chromium.
    @Suite struct SignInPageTests {
        private struct Seen: Decodable { let faults: [String] }

        @Test("people sign in without scripts, by keyboard and by touch, in every language and size")
        func signIn() async throws {
            let live = try await LiveEnvironment.ready()
            let client = UUID().uuidString.lowercased()
            try await live.administer(
                "client", "add", "--name", "Ward app", "--id", client, "--redirect-uri", "http://localhost/",
                "--permission", "User.Read")
            try await live.administer(
                "branding", "set", "--colour", "#5b2a86", "--logo", Repository.root + "/Tests/Person/pixel.png")
            let person = try live.person("Chen")
            let name = person.userName.split(separator: "@")
            let wanted = [
                "authority": live.facts.authority, "client": client, "domain": String(name[1]),
                "username": String(name[0]), "password": person.password,
            ]
            let file = live.path("signin-\(client).json")
            try JSONSerialization.data(withJSONObject: wanted).write(to: URL(filePath: file))
            let walk = try await live.runAside(
                program: Repository.root + "/.venv-foreign/bin/python3",
                [Repository.root + "/Tests/Person/signin.py", file] + live.browserOptions())
            #expect(try await walk.waitForExit() == 0)
            let line = try #require(try walk.log().split(separator: "\n").last)
            let faults = try JSONDecoder().decode(Seen.self, from: Data(line.utf8)).faults
            #expect(faults == [])
            try await live.administer("branding", "remove")
        }
    }
}
