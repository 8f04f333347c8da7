// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveOffline {
    /// Workers who sign in without the server, with a PIN that they set at the device.
    @Suite struct PINTests {
        private static let pin = "48027139560412"

        @Test func `a worker sets a PIN after signing in, and signs in with it without the server`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.allowOffline(["--pin-without-tpm"])
            let app = try live.app(1)
            try live.seat("Amara", pin: Self.pin, mistypes: true)
            let amara = try await app.signIn().account
            try await live.holdsPINs(1)
            #expect(try await live.finding("offline_pin_without_tpm")?.verdict == .warning)
            // At the first attempt, the two entries differed.
            try await FolderWatch(live.path("logs")).until("done with the PIN") {
                try textOfFile(live.path("logs/person.log"))
                    .contains("PIN typed\nperson: the page shows an error\nperson: PIN typed\nperson: done")
            }
            #expect(try !live.log(of: .broker).contains(Self.pin))
            // The next session process has no proof that she is still at the device.
            let session = try live.sessionProcess()
            session.kill()
            try await session.waitForEnd()
            #expect(try await app.accounts().current == amara)
            #expect(try await failure(of: live.ask(.setPIN)) == "pin_needs_proof")
            try await app.signOut(amara)
            try await live.settle()
            // A worker who has a PIN is not asked to set a PIN, but may set another PIN.
            let (asked, former) = (try pages(live), try live.leases)
            try live.seat("Amara", pin: "135790")
            _ = try await app.signIn()
            try await live.hasRenewed(former)
            #expect(try await live.ask(.setPIN) == .done)
            #expect(try pages(live) == asked + 1)
            try await app.signOut(amara)
            try await live.settle()

            try await live.kill(.server)
            try await signIn("Amara", by: "135790", at: app, live)
            #expect(try await app.accounts().current?.identifier == amara.identifier)
            try await live.settle()
            #expect(try live.isClean)
            for wrong in [Self.pin, "864209", "135791"] {
                #expect(try live.leases.count == 1)
                try await signIn("Amara", by: wrong, at: app, live, isKnown: false)
            }
            #expect(try live.leases == [])
            try await signIn("Amara", by: "135790", at: app, live, isKnown: false)
            try await live.start(.server)
            try await live.forbidOffline()
        }

        @Test func `a PIN without a TPM needs the organisation's consent, and a declined one is not requested again`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            for words in [["--pin"], []] {
                try await live.allowOffline(words)
                try live.seat("Amara", pin: Self.pin)
                let asked = try pages(live)
                let amara = try await app.signIn().account
                try await live.holdsLeases(1)
                // By now the device has checked whether a PIN is allowed, and would have asked for a PIN.
                try await live.holdsPINs(0)
                #expect(try await failure(of: live.ask(.setPIN)) == "pin_not_allowed")
                try await app.signOut(amara)
                try await live.settle()
                #expect(try pages(live) == asked)
            }
            try await live.forbidOffline()
        }

        @Test func `a TPM checks the PIN, and accepts none for a while after too many wrong ones`() async throws {
            try await LiveEnvironment.withTPM { live, chip in
                try await live.allowOffline(["--pin", "--no-password", "--attempts", "5"])
                let app = try live.app(1)
                try live.seat("Amara", pin: Self.pin)
                let amara = try await app.signIn().account
                try await live.holdsPINs(1)
                #expect(try await live.finding("offline_pin_without_tpm") == nil)
                try await app.signOut(amara)
                try await live.settle()

                try await live.kill(.server)
                // The password is not accepted here. This TPM locks itself after three wrong PINs.
                try await signIn("Amara", by: live.person("Amara").password, at: app, live, isKnown: false)
                for wrong in ["480272", "480273", "480274"] {
                    try await signIn("Amara", by: wrong, at: app, live, isKnown: false)
                }
                try await signIn("Amara", by: Self.pin, at: app, live, isKnown: false)
                #expect(try live.log(of: .broker).contains("tpm_locked_out"))
                _ = try await chip.tool("tpm2_dictionarylockout", "--clear-lockout")
                try await signIn("Amara", by: Self.pin, at: app, live)
                #expect(try await app.accounts().current?.identifier == amara.identifier)
                try await live.settle()
                try await live.start(.server)
                try await live.forbidOffline()
            }
        }

        /// A person types `secret` at a device that cannot reach its server.
        private func signIn(
            _ givenName: String, by secret: String, at app: App, _ live: LiveEnvironment, isKnown: Bool = true
        ) async throws {
            try live.seat(givenName, password: secret, pin: nil)
            let seen = try await seen { try await app.signIn() }
            if isKnown {
                #expect(seen.internalCode == .internalErrorUnhandledResponse, "\(seen)")
            } else {
                #expect(seen.code == .userCanceled, "\(seen)")
                try await live.settle()
            }
        }

        /// How often a person has typed a PIN in order to set it.
        private func pages(_ live: LiveEnvironment) throws -> Int {
            try textOfFile(live.path("logs/person.log")).components(separatedBy: "PIN typed").count - 1
        }

        private func failure(of reply: OperatorReply) -> String? {
            guard case .failed(let failure) = reply else { return nil }
            return failure.code
        }
    }
}

extension LiveEnvironment {
    /// Waits until the doctor reports `count` workers with a PIN.
    fileprivate func holdsPINs(_ count: Int) async throws {
        try await untilLogged("\(count) with a PIN") { [self] in
            try await finding("offline_leases")?.message.hasSuffix("with a PIN: \(count).") == true
        }
    }
}
