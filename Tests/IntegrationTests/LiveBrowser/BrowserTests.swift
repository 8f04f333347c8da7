// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveBrowser {
    /// The person at the browser does not do what is asked, or not at once.
    @Suite struct BrowserTests {
        @Test func `who mistypes the password tries again and is signed in`() async throws {
            let world = try await World.ready()
            try world.seat("Amara", wrongPasswordFirst: true)
            let result = try await world.app(1).signIn()
            #expect(result.account.username == (try world.person("Amara").userName))
            #expect(try textOfFile(world.path("logs/person.log")).contains("the page shows an error"))
        }

        @Test func `who closes the browser cancels, and the device is ready again`() async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            try world.seat("Amara", closesBrowser: true)
            #expect(try await seen { try await app.signIn() }.code == .userCanceled)
            try world.leave()
            #expect(try await app.accounts().current == nil)
            try await world.journalLeaves("signingIn")
            try await world.journalLeaves("signingOut")
            #expect(try await world.status().session == "ready")
            #expect(try world.isClean)
            // The next worker is served.
            #expect(try await app.accounts().current == nil)
            let bo = try await world.signIn("Bo", through: app)
            #expect(try await world.app(2).accounts().current == bo)
        }

        @Test func `a second sign-in while one runs is refused, and the first goes on`() async throws {
            let world = try await World.ready()
            let (app1, app2) = (try world.app(1), try world.app(2))
            try world.seat("Amara")
            // The browser hangs, so the first sign-in is under way until the agent goes on.
            try world.send(SIGSTOP, to: .agent)
            async let first = app1.signIn()
            try await world.journalSays("signingIn")
            let refused = try await seen { try await app2.signIn() }
            #expect(refused.internalCode == .internalErrorInteractiveSessionAlreadyRunning)
            try world.send(SIGCONT, to: .agent)
            let account = try await first.account
            #expect(account.username == (try world.person("Amara").userName))
        }

        @Test func `what the MDM takes away during a sign-in goes after it, without being asked again`() async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            try world.seat("Amara")
            // The browser hangs, so the sign-in is under way until the agent goes on.
            try world.send(SIGSTOP, to: .agent)
            async let signIn = app.signIn()
            try await world.journalSays("signingIn")
            try await world.administer("profile", "remove", world.facts.profile, "--device", "ward-7-tablet")
            try await world.ask(.checkIn)
            #expect(try await world.status().mode == "shared")
            try world.send(SIGCONT, to: .agent)
            // The profile goes as soon as she is signed in, perhaps before the app has heard of it: then the app hears
            // that the connection ended, or that the device is not shared.
            do { #expect(try await signIn.account.username == (try world.person("Amara").userName)) } catch {
                let codes: [MSALInternalError?] = [
                    .internalErrorBrokerResponseNotReceived, .internalBrokerNotAvailable,
                ]
                #expect(codes.contains(Seen(error).internalCode))
            }

            // The device that is not shared any more has no worker.
            try await world.journalLeaves("signedIn")
            #expect(try await world.status().mode == "incomplete")
            try await world.settle()
            #expect(try world.isClean)
            try await world.administer("profile", "push", world.facts.profile, "--device", "ward-7-tablet")
            try await world.ask(.checkIn)
            #expect(try await world.status().mode == "shared")
        }

        @Test func `another worker's hint does not take the device over`() async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)
            try world.seat("Bo")
            let bo = try world.person("Bo").userName
            let refused = try await seen { try await world.app(2).signIn(hint: bo) }
            #expect(refused.internalCode == .internalErrorMismatchedUser)
            #expect(try await app.accounts().current == amara)
        }
    }
}
