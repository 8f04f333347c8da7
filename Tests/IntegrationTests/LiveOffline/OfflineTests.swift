// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import MSAL
import TestSupport
import Testing

extension LiveOffline {
    /// Workers at a device that does not reach its server.
    @Suite struct OfflineTests {
        @Test func `a worker whom the device has seen signs in without the server, and with it is online again`()
            async throws
        {
            let world = try await World.ready()
            try await world.allowOffline()
            let (one, two) = (try world.app(1), try world.app(2))
            let amara = try await world.leaveWithLease("Amara", one)
            try await world.kill(.server)

            try world.seat("Amara")
            #expect(try await seen { try await one.signIn() }.internalCode == .internalErrorUnhandledResponse)
            try world.leave()
            let account = try #require(try await two.accounts().current)
            #expect(account.identifier == amara.identifier)
            #expect(account.username == amara.username)
            #expect(try await one.accounts().current?.identifier == amara.identifier)
            #expect(try await world.status().session == "signedIn")
            #expect(try await seen { try await two.token(of: account) }.internalCode == .internalErrorUnhandledResponse)
            // The hand-over needs no server.
            try await two.signOut(account)
            try await world.settle()
            #expect(try world.isClean)
            #expect(try await two.accounts().current == nil)

            // Somebody whom the device has not seen does not get in.
            try world.seat("Bo")
            #expect(try await seen { try await one.signIn() }.code == .userCanceled)
            try world.leave()
            #expect(try await one.accounts().current == nil)
            try await world.settle()

            try world.seat("Amara")
            #expect(try await seen { try await one.signIn() }.internalCode == .internalErrorUnhandledResponse)
            let epoch = try await world.epochCounter()
            try await world.start(.server)
            #expect(try await seen { try await two.token(of: account) }.code == .interactionRequired)
            let result = try await two.signIn()
            #expect(result.account.identifier == amara.identifier)
            #expect(try await world.me(result.accessToken) == 200)
            #expect(try await one.token(of: account).account.identifier == amara.identifier)
            #expect(try await world.epochCounter() == epoch)
            try world.leave()
            try await world.forbidOffline()
        }

        @Test func `another worker cannot turn a session that began offline into theirs`() async throws {
            let world = try await World.ready()
            try await world.allowOffline()
            let app = try world.app(1)
            _ = try await world.leaveWithLease("Amara", app)
            try await world.kill(.server)
            try world.seat("Amara")
            #expect(try await seen { try await app.signIn() }.internalCode == .internalErrorUnhandledResponse)
            try await world.start(.server)
            try world.seat("Bo")
            let refused = try await seen { try await app.signIn() }
            #expect(refused.internalCode == .internalErrorMismatchedUser, "\(refused)")
            try world.leave()
            #expect(try await app.accounts().current?.username == (try world.person("Amara").userName))
            try await world.forbidOffline()
        }

        @Test func `after so many wrong passwords the device has forgotten the worker`() async throws {
            let world = try await World.ready()
            try await world.allowOffline()
            let app = try world.app(1)
            _ = try await world.leaveWithLease("Amara", app)
            try await world.kill(.server)
            try world.seat("Amara", password: "not the password", pin: nil)
            #expect(try await seen { try await app.signIn() }.code == .userCanceled)
            try await world.settle()
            // What was counted stays counted when everything dies.
            try await world.kill(.broker)
            try await world.start(.broker)
            try await world.awaitAgent()
            #expect(try world.leases.count == 1)
            for _ in 0..<2 {
                #expect(try await seen { try await app.signIn() }.code == .userCanceled)
                try await world.settle()
            }
            #expect(try world.leases == [])
            try world.seat("Amara")
            #expect(try await seen { try await app.signIn() }.code == .userCanceled)
            try world.leave()
            try await world.settle()
            #expect(try await app.accounts().current == nil)
            try await world.start(.server)
            try await world.forbidOffline()
        }

        @Test func `a disabled worker who is there offline is signed out as soon as the device hears of it`()
            async throws
        {
            let world = try await World.ready()
            try await world.allowOffline()
            let app = try world.app(1)
            _ = try await world.leaveWithLease("Amara", app)
            try await world.kill(.server)
            try world.seat("Amara")
            #expect(try await seen { try await app.signIn() }.internalCode == .internalErrorUnhandledResponse)
            try world.leave()
            try await world.start(.server)
            try await world.administer("user", "disable", try world.person("Amara").userName)
            try await world.journalLeaves("signedIn")
            try await world.settle()
            #expect(try world.log(of: .broker).contains("session.door=offline-lease"))
            #expect(try world.leases == [])
            try await world.administer("user", "enable", try world.person("Amara").userName)
            try await world.forbidOffline()
        }

        @Test func `a worker who is disabled while others are there is forgotten by the device`() async throws {
            let world = try await World.ready()
            try await world.allowOffline()
            let app = try world.app(1)
            _ = try await world.leaveWithLease("Amara", app)
            _ = try await world.signIn("Bo", through: app)
            try await world.holdsLeases(2)
            try await world.administer("user", "disable", try world.person("Amara").userName)
            try await world.holdsLeases(1)
            try await world.administer("user", "enable", try world.person("Amara").userName)
            // Turned off, nothing is left of anybody.
            try await world.forbidOffline()
            #expect(try world.names(in: "device/offline") == [])
        }

        @Test func `nobody has a lease where the organisation has not turned it on`() async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)
            _ = try await app.token(of: amara, refreshed: true)
            try await app.signOut(amara)
            try await world.settle()
            #expect(try world.names(in: "device/offline") == [])
        }
    }
}
