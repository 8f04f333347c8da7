// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveOffline {
    /// Workers who sign in without the server by a PIN that they have set at the device.
    @Suite struct PINTests {
        private static let pin = "48027139560412"

        @Test func `a worker sets a PIN after signing in, and signs in with it when the server is away`() async throws {
            let world = try await World.ready()
            try await world.allowOffline(["--pin-without-tpm"])
            let app = try world.app(1)
            try world.seat("Amara", pin: Self.pin, mistypes: true)
            let amara = try await app.signIn().account
            try await world.holdsPINs(1)
            #expect(try await world.finding("offline_pin_without_tpm")?.verdict == .warning)
            // The first time the two were not the same.
            try await FolderWatch(world.path("logs")).until("done with the PIN") {
                try textOfFile(world.path("logs/person.log"))
                    .contains("PIN typed\nperson: the page shows an error\nperson: PIN typed\nperson: done")
            }
            #expect(try !world.log(of: .broker).contains(Self.pin))
            // From here on nobody knows whether it is still her who is at the device.
            let session = try world.sessionProcess()
            session.kill()
            try await session.waitForEnd()
            #expect(try await app.accounts().current == amara)
            #expect(try await failure(of: world.ask(.setPIN)) == "pin_needs_proof")
            try await app.signOut(amara)
            try await world.settle()
            // Who has a PIN is not asked for one, and may have another.
            let (asked, former) = (try pages(world), try world.leases)
            try world.seat("Amara", pin: "135790")
            _ = try await app.signIn()
            try await world.hasRenewed(former)
            #expect(try await world.ask(.setPIN) == .done)
            #expect(try pages(world) == asked + 1)
            try await app.signOut(amara)
            try await world.settle()

            try await world.kill(.server)
            try await signIn("Amara", by: "135790", at: app, world)
            #expect(try await app.accounts().current?.identifier == amara.identifier)
            try await world.settle()
            #expect(try world.isClean)
            for wrong in [Self.pin, "864209", "135791"] {
                #expect(try world.leases.count == 1)
                try await signIn("Amara", by: wrong, at: app, world, isKnown: false)
            }
            #expect(try world.leases == [])
            try await signIn("Amara", by: "135790", at: app, world, isKnown: false)
            try await world.start(.server)
            try await world.forbidOffline()
        }

        @Test func `a PIN without a TPM needs the organisation's word, and one that is not wanted is not asked for`()
            async throws
        {
            let world = try await World.ready()
            let app = try world.app(1)
            for words in [["--pin"], []] {
                try await world.allowOffline(words)
                try world.seat("Amara", pin: Self.pin)
                let asked = try pages(world)
                let amara = try await app.signIn().account
                try await world.holdsLeases(1)
                // The device has looked at it, and would have asked.
                try await world.holdsPINs(0)
                #expect(try await failure(of: world.ask(.setPIN)) == "pin_not_allowed")
                try await app.signOut(amara)
                try await world.settle()
                #expect(try pages(world) == asked)
            }
            try await world.forbidOffline()
        }

        @Test func `a TPM knows the PIN, and takes none for a while after too many wrong ones`() async throws {
            try await World.withTPM { world, chip in
                try await world.allowOffline(["--pin", "--no-password", "--attempts", "5"])
                let app = try world.app(1)
                try world.seat("Amara", pin: Self.pin)
                let amara = try await app.signIn().account
                try await world.holdsPINs(1)
                #expect(try await world.finding("offline_pin_without_tpm") == nil)
                try await app.signOut(amara)
                try await world.settle()

                try await world.kill(.server)
                // The password is none of the ways here; this chip takes three wrong PINs.
                try await signIn("Amara", by: world.person("Amara").password, at: app, world, isKnown: false)
                for wrong in ["480272", "480273", "480274"] {
                    try await signIn("Amara", by: wrong, at: app, world, isKnown: false)
                }
                try await signIn("Amara", by: Self.pin, at: app, world, isKnown: false)
                #expect(try world.log(of: .broker).contains("tpm_locked_out"))
                _ = try await chip.tool("tpm2_dictionarylockout", "--clear-lockout")
                try await signIn("Amara", by: Self.pin, at: app, world)
                #expect(try await app.accounts().current?.identifier == amara.identifier)
                try await world.settle()
                try await world.start(.server)
                try await world.forbidOffline()
            }
        }

        /// Somebody at a device without its server types `secret`.
        private func signIn(
            _ givenName: String, by secret: String, at app: App, _ world: World, isKnown: Bool = true
        ) async throws {
            try world.seat(givenName, password: secret, pin: nil)
            let seen = try await seen { try await app.signIn() }
            if isKnown {
                #expect(seen.internalCode == .internalErrorUnhandledResponse, "\(seen)")
            } else {
                #expect(seen.code == .userCanceled, "\(seen)")
                try await world.settle()
            }
        }

        /// How often somebody has typed a PIN of their own.
        private func pages(_ world: World) throws -> Int {
            try textOfFile(world.path("logs/person.log")).components(separatedBy: "PIN typed").count - 1
        }

        private func failure(of reply: OperatorReply) -> String? {
            guard case .failed(let failure) = reply else { return nil }
            return failure.code
        }
    }
}

extension World {
    /// What the doctor found under a code.
    fileprivate func finding(_ code: String) async throws -> CheckResult? {
        guard case .diagnosis(let diagnosis) = try await ask(.examine) else { throw TestProblem("no diagnosis") }
        return diagnosis.findings.first { $0.code == code }
    }

    /// Waits until that many workers have set a PIN, in the doctor's word.
    fileprivate func holdsPINs(_ count: Int) async throws {
        try await untilLogged("\(count) with a PIN") { [self] in
            try await finding("offline_leases")?.message.hasSuffix("with a PIN: \(count).") == true
        }
    }
}
