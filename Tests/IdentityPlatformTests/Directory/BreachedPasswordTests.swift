// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import IdentityPlatform
import Redaction
import TestSupport
import Testing

@Suite struct BreachedPasswordTests {
    private static func hash(_ password: String) -> String {
        Insecure.SHA1.hash(data: Data(password.utf8)).map { String(format: "%02X", $0) }.joined()
    }

    private static func list(_ passwords: [String], digits: Int = 40, ending: String = "\r\n") -> String {
        passwords.map { "\(hash($0).prefix(digits)):\(3)" }.sorted().map { $0 + ending }.joined()
    }

    /// Sets a password on a platform with this list. Returns the refusal; nil if the password is accepted.
    private func refusal(_ password: String, _ list: String, _ fixture: TestPlatform) async throws -> AdminRefusal? {
        try await Scratch.with { scratch in
            let path = try scratch.write(list, to: "breached.txt")
            var configuration = fixture.platform.configuration
            configuration.breachedPasswords = path
            let guarded = try await fixture.restarted(configuration: configuration)
            do {
                try await guarded.administration.users.setPassword(Sensitive(password), of: fixture.amara)
                return nil
            } catch let refusal as AdminRefusal {
                return refusal
            }
        }
    }

    @Test(arguments: [(40, "\r\n"), (40, "\n"), (12, "\n")])
    func `a password on the list is refused, wherever it is in the list, and no other`(
        digits: Int, ending: String
    ) async throws {
        let fixture = try await TestPlatform()
        let known = (1...200).map { "password\($0)" }
        let list = Self.list(known, digits: digits, ending: ending)
        let sorted = known.sorted { Self.hash($0) < Self.hash($1) }
        for password in [sorted[0], sorted[1], sorted[99], sorted[198], sorted[199]] {
            #expect(try await refusal(password, list, fixture) == .breachedPassword)
            #expect(try await refusal(password, String(list.dropLast(1)), fixture) == .breachedPassword)
        }
        for password in ["not on the list 1", "not on the list 2", "not on the list 3"] {
            #expect(try await refusal(password, list, fixture) == nil)
        }
    }

    @Test func `every password on a list is found, and no other`() async throws {
        let known = (1...500).map { "p\($0)" }
        try await Scratch.with { scratch in
            let breached = try BreachedPasswords(path: try scratch.write(Self.list(known), to: "list"))
            func contains(_ text: String) throws -> Bool {
                try breached.contains(SecretBytes(copying: Array(text.utf8)))
            }
            for password in known { #expect(try contains(password)) }
            for number in 501...1000 { #expect(try !contains("p\(number)")) }
        }
    }

    @Test func `if the list cannot be read, no password is accepted`() async throws {
        for text in ["", "\n", "zzz:1\n", "ABC:1\n", String(repeating: "A", count: 300)] {
            try await Scratch.with { scratch in
                let path = try scratch.write(text, to: "list")
                #expect(throws: BreachedPasswords.Failure.self) { try BreachedPasswords(path: path) }
            }
        }
        #expect(throws: BreachedPasswords.Failure.unreadable) { try BreachedPasswords(path: "/nowhere/list") }
        #expect(throws: BreachedPasswords.Failure.unreadable) { try BreachedPasswords(path: "/tmp") }
        try await Scratch.with { scratch in
            let path = try scratch.write(Self.list(["password1"]), to: "list")
            let fixture = try await TestPlatform()
            var configuration = fixture.platform.configuration
            configuration.breachedPasswords = path
            let guarded = try await fixture.restarted(configuration: configuration)
            try FileManager.default.removeItem(atPath: path)
            await #expect(throws: AdminRefusal.passwordListUnreadable) {
                try await guarded.administration.users.setPassword(Sensitive("a fine password"), of: fixture.amara)
            }
        }
    }

    @Test func `a password has at least eight characters of any kind and at most 256 bytes`() async throws {
        let fixture = try await TestPlatform()
        for (password, isGood) in [
            ("1234567", false), ("12345678", true), ("éèéèéè", false), ("pässwört", true),
            (String(repeating: "x", count: 256), true),
            (String(repeating: "x", count: 257), false), ("👩‍⚕️👨‍⚕️", false),
        ] {
            if isGood {
                try await fixture.administration.users.setPassword(Sensitive(password), of: fixture.amara)
            } else {
                await #expect(throws: AdminRefusal.weakPassword) {
                    try await fixture.administration.users.setPassword(Sensitive(password), of: fixture.amara)
                }
            }
        }
    }
}
