// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import Testing

extension LiveDevice {
    /// The Swift blocks of Microsoft's page on shared device mode have the effect that the page describes.
    ///
    /// ``App`` makes the calls; `scripts/check/snippets` compares them with the page byte by byte.
    @Suite struct SeedTests {
        @Test func `getDeviceInformation reports that workers share the device`() async throws {
            let live = try await LiveEnvironment.ready()
            #expect(try await live.app(1).isSharedDevice())
        }

        @Test func `getDeviceTokenForSharedDevice returns a device token, whoever is signed in or nobody`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let nobody = try await app.deviceToken("https://graph.microsoft.com")
            #expect(nobody.accessToken.split(separator: ".").count == 3)
            let lifetime = try #require(nobody.expiresOn).timeIntervalSinceNow
            #expect(lifetime > 500 && lifetime <= 600)
            try await live.signIn("Amara", through: app)
            let other = try await app.deviceToken("https://graph.microsoft.com")
            let claims = try #require(other.accessToken.split(separator: ".").dropFirst().first)
            let padded = claims.replacing("-", with: "+").replacing("_", with: "/")
            let text = String(
                decoding: try #require(Data(base64Encoded: padded + String(repeating: "=", count: -padded.count & 3))),
                as: UTF8.self)
            #expect(text.contains(#""idtyp":"device""#) && text.contains(#""deviceid":"#))
            #expect(!text.localizedCaseInsensitiveContains("amara"))
            await #expect(throws: (any Error).self) { try await app.deviceToken("https://nowhere.test") }
        }

        @Test func `getCurrentAccount returns no account if nobody is signed in`() async throws {
            let live = try await LiveEnvironment.ready()
            let (current, previous) = try await live.app(1).accounts()
            #expect(current == nil && previous == nil)
        }

        @Test func `getCurrentAccount returns the signed-in worker, in every app`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.signIn("Amara", through: try live.app(1))
            for number in [1, 2] {
                let (current, previous) = try await live.app(number).accounts()
                #expect(current?.username == (try live.person("Amara").userName))
                #expect(previous == nil)
            }
        }

        @Test func `getCurrentAccount names the previous worker once after another app's sign-out`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let (app1, app2) = (try live.app(1), try live.app(2))
            let amara = try await live.signIn("Amara", through: app1)
            #expect(try await app1.accounts().current == amara)
            try await app2.signOut(amara)

            let told = try await app1.accounts()
            #expect(told.current == nil)
            #expect(told.previous == amara)
            #expect(told.previous?.username == nil)
            let later = try await app1.accounts()
            #expect(later.current == nil && later.previous == nil)
        }

        @Test func `getCurrentAccount distinguishes one worker from the next`() async throws {
            let live = try await LiveEnvironment.ready()
            let (app1, app2) = (try live.app(1), try live.app(2))
            let amara = try await live.signIn("Amara", through: app1)
            #expect(try await app1.accounts().current == amara)
            try await app2.signOut(amara)
            let bo = try await live.signIn("Bo", through: app2)

            let told = try await app1.accounts()
            #expect(told.current == bo && told.previous == amara && bo != amara)
            #expect(told.current?.username == (try live.person("Bo").userName))
        }

        @Test func `acquireToken signs the worker in for every app on the device`() async throws {
            let live = try await LiveEnvironment.ready()
            let app1 = try live.app(1)
            try live.seat("Amara")
            let first = try await app1.signIn(hint: try live.person("Amara").userName)
            try live.leave()
            #expect(first.account.username == (try live.person("Amara").userName))
            #expect(!first.accessToken.isEmpty)

            // Nobody sits at the browser, so app 2 must not prompt.
            let app2 = try live.app(2)
            let account = try #require(try await app2.accounts().current)
            let second = try await app2.token(of: account)
            #expect(second.account == first.account)
            #expect(!second.accessToken.isEmpty && second.accessToken != first.accessToken)
            // An interactive call from another app does not prompt either.
            #expect(try await live.app(3).signIn().account == first.account)
        }

        @Test func `signout signs the worker out of every app, the browser and the identity platform`() async throws {
            let live = try await LiveEnvironment.ready()
            let (app1, app2) = (try live.app(1), try live.app(2))
            let amara = try await live.signIn("Amara", through: app1)
            #expect(try await app1.accounts().current == amara)
            _ = try await app2.token(of: amara)
            #expect(try !live.names(in: "run/profiles").isEmpty)
            #expect(try !live.names(in: "device/session").isEmpty)

            #expect(try await app1.signOut(amara))
            #expect(try live.names(in: "run/profiles").isEmpty)
            #expect(try live.names(in: "device/session").isEmpty)
            for app in [app1, app2] {
                #expect(try await seen { try await app.token(of: amara) }.code == .interactionRequired)
            }
            #expect(try await app2.accounts().current == nil)
            try await live.serverHearsOfEveryEnd()
        }
    }
}
