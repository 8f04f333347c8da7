// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveBrowser {
    /// Sign-ins in which the person at the browser makes a mistake, gives up or is slow.
    @Suite struct BrowserTests {
        @Test func `a worker who mistypes the password can try again and is signed in`() async throws {
            let live = try await LiveEnvironment.ready()
            try live.seat("Amara", wrongPasswordFirst: true)
            let result = try await live.app(1).signIn()
            #expect(result.account.username == (try live.person("Amara").userName))
            #expect(try textOfFile(live.path("logs/person.log")).contains("the page shows an error"))
        }

        @Test func `closing the browser cancels the sign-in, and the device is ready again`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            try live.seat("Amara", closesBrowser: true)
            #expect(try await seen { try await app.signIn() }.code == .userCanceled)
            try live.leave()
            #expect(try await app.accounts().current == nil)
            try await live.journalLeaves("signingIn")
            try await live.journalLeaves("signingOut")
            #expect(try await live.status().session == "ready")
            #expect(try live.isClean)
            // The next worker is served.
            #expect(try await app.accounts().current == nil)
            let bo = try await live.signIn("Bo", through: app)
            #expect(try await live.app(2).accounts().current == bo)
        }

        @Test func `a second sign-in during a sign-in is refused, and the first continues`() async throws {
            let live = try await LiveEnvironment.ready()
            let (app1, app2) = (try live.app(1), try live.app(2))
            try live.seat("Amara")
            // The agent is stopped, so the first sign-in stays in progress until the agent continues.
            try live.send(SIGSTOP, to: .agent)
            async let first = app1.signIn()
            try await live.journalSays("signingIn")
            let refused = try await seen { try await app2.signIn() }
            #expect(refused.internalCode == .internalErrorInteractiveSessionAlreadyRunning)
            try live.send(SIGCONT, to: .agent)
            let account = try await first.account
            #expect(account.username == (try live.person("Amara").userName))
        }

        @Test func `a setting that the MDM removes during a sign-in is gone afterwards without another request`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            try live.seat("Amara")
            // The agent is stopped, so the sign-in stays in progress until the agent continues.
            try live.send(SIGSTOP, to: .agent)
            async let signIn = app.signIn()
            try await live.journalSays("signingIn")
            try await live.administer("profile", "remove", live.facts.profile, "--device", "ward-7-tablet")
            try await live.ask(.checkIn)
            #expect(try await live.status().mode == "shared")
            try live.send(SIGCONT, to: .agent)
            // The profile is removed as soon as Amara is signed in, perhaps before the app gets its answer. The error
            // is then that the connection ended, or that the device is not shared.
            do { #expect(try await signIn.account.username == (try live.person("Amara").userName)) } catch {
                let codes: [MSALInternalError?] = [
                    .internalErrorBrokerResponseNotReceived, .internalBrokerNotAvailable,
                ]
                #expect(codes.contains(Seen(error).internalCode))
            }

            // A device that is no longer shared has no worker.
            try await live.journalLeaves("signedIn")
            #expect(try await live.status().mode == "incomplete")
            try await live.settle()
            #expect(try live.isClean)
            try await live.administer("profile", "push", live.facts.profile, "--device", "ward-7-tablet")
            try await live.ask(.checkIn)
            #expect(try await live.status().mode == "shared")
        }

        @Test func `a hint for another worker does not take over the device`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            try live.seat("Bo")
            let bo = try live.person("Bo").userName
            let refused = try await seen { try await live.app(2).signIn(hint: bo) }
            #expect(refused.internalCode == .internalErrorMismatchedUser)
            #expect(try await app.accounts().current == amara)
        }
    }
}
