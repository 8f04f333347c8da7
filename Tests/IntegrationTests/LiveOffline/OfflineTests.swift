// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import MSAL
import TestSupport
import Testing

extension LiveOffline {
    /// Workers at a device that cannot reach its server.
    @Suite struct OfflineTests {
        @Test func `a known worker signs in without the server, and is online again when it returns`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            try await live.allowOffline()
            let (one, two) = (try live.app(1), try live.app(2))
            let amara = try await live.leaveWithLease("Amara", one)
            _ = try await live.deviceState { $0.isServerReachable == true }
            try await live.kill(.server)
            _ = try await live.deviceState { $0.isServerReachable == false && $0.hasOfflineLeases }

            try live.seat("Amara")
            #expect(try await seen { try await one.signIn() }.internalCode == .internalErrorUnhandledResponse)
            try live.leave()
            let account = try #require(try await two.accounts().current)
            #expect(account.identifier == amara.identifier)
            #expect(account.username == amara.username)
            #expect(try await one.accounts().current?.identifier == amara.identifier)
            let state = try await live.deviceState { $0.session?.offlineEnd != nil }
            #expect(state.stage == .signedIn)
            #expect(try await seen { try await two.token(of: account) }.internalCode == .internalErrorUnhandledResponse)
            // The hand-over needs no server.
            try await two.signOut(account)
            try await live.settle()
            #expect(try live.isClean)
            #expect(try await two.accounts().current == nil)

            // A worker whom the device has not seen cannot sign in.
            try live.seat("Bo")
            #expect(try await seen { try await one.signIn() }.code == .userCanceled)
            try live.leave()
            #expect(try await one.accounts().current == nil)
            try await live.settle()

            try live.seat("Amara")
            #expect(try await seen { try await one.signIn() }.internalCode == .internalErrorUnhandledResponse)
            let epoch = try await live.epochCounter()
            try await live.start(.server)
            #expect(try await seen { try await two.token(of: account) }.code == .interactionRequired)
            let result = try await two.signIn()
            #expect(result.account.identifier == amara.identifier)
            #expect(try await live.me(result.accessToken) == 200)
            let online = try await live.deviceState { $0.session?.offlineEnd == nil && $0.isServerReachable == true }
            #expect(online.stage == .signedIn)
            #expect(try await one.token(of: account).account.identifier == amara.identifier)
            #expect(try await live.epochCounter() == epoch)
            try live.leave()
            try await live.forbidOffline()
        }

        @Test func `another worker cannot take over a session that began offline`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.allowOffline()
            let app = try live.app(1)
            _ = try await live.leaveWithLease("Amara", app)
            try await live.kill(.server)
            try live.seat("Amara")
            #expect(try await seen { try await app.signIn() }.internalCode == .internalErrorUnhandledResponse)
            try await live.start(.server)
            try live.seat("Bo")
            let refused = try await seen { try await app.signIn() }
            #expect(refused.internalCode == .internalErrorMismatchedUser, "\(refused)")
            try live.leave()
            #expect(try await app.accounts().current?.username == (try live.person("Amara").userName))
            try await live.forbidOffline()
        }

        @Test func `after the maximum number of wrong passwords the device has forgotten the worker`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.allowOffline()
            let app = try live.app(1)
            _ = try await live.leaveWithLease("Amara", app)
            try await live.kill(.server)
            try live.seat("Amara", password: "not the password", pin: nil)
            #expect(try await seen { try await app.signIn() }.code == .userCanceled)
            try await live.settle()
            // The count of wrong passwords survives the end of the broker.
            try await live.kill(.broker)
            try await live.start(.broker)
            try await live.awaitAgent()
            #expect(try live.leases.count == 1)
            for _ in 0..<2 {
                #expect(try await seen { try await app.signIn() }.code == .userCanceled)
                try await live.settle()
            }
            #expect(try live.leases == [])
            try live.seat("Amara")
            #expect(try await seen { try await app.signIn() }.code == .userCanceled)
            try live.leave()
            try await live.settle()
            #expect(try await app.accounts().current == nil)
            try await live.start(.server)
            try await live.forbidOffline()
        }

        @Test func `a disabled worker who is signed in offline is signed out as soon as the device learns of it`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            try await live.allowOffline()
            let app = try live.app(1)
            _ = try await live.leaveWithLease("Amara", app)
            try await live.kill(.server)
            try live.seat("Amara")
            #expect(try await seen { try await app.signIn() }.internalCode == .internalErrorUnhandledResponse)
            try live.leave()
            try await live.start(.server)
            try await live.administer("user", "disable", try live.person("Amara").userName)
            try await live.journalLeaves("signedIn")
            try await live.settle()
            #expect(try live.log(of: .broker).contains("session.trigger=offline-lease"))
            #expect(try live.leases == [])
            try await live.administer("user", "enable", try live.person("Amara").userName)
            try await live.forbidOffline()
        }

        @Test func `a worker who is disabled while another is signed in is forgotten by the device`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.allowOffline()
            let app = try live.app(1)
            _ = try await live.leaveWithLease("Amara", app)
            _ = try await live.signIn("Bo", through: app)
            try await live.holdsLeases(2)
            try await live.administer("user", "disable", try live.person("Amara").userName)
            try await live.holdsLeases(1)
            try await live.administer("user", "enable", try live.person("Amara").userName)
            // After offline sign-in is turned off, no worker's data is left.
            try await live.forbidOffline()
            #expect(try live.names(in: "device/offline") == [])
        }

        @Test func `nobody has a lease unless the organisation has turned it on`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            _ = try await app.token(of: amara, refreshed: true)
            try await app.signOut(amara)
            try await live.settle()
            #expect(try live.names(in: "device/offline") == [])
        }
    }
}
