// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// The native app operations that MSAL itself does not send.
    @Suite struct OperationSetTests {
        private func raw(_ live: LiveEnvironment) async throws -> RawApp {
            let raw = try RawApp(live)
            try await raw.greet()
            return raw
        }

        private func success(
            _ raw: RawApp, _ operation: BrokerProtocol.Operation, _ map: FlatMap
        ) async throws -> FlatMap {
            guard case .success(let response) = try await raw.ask(operation, map) else {
                throw TestProblem("\(operation.rawValue) was refused")
            }
            #expect(response[.operation] == operation.rawValue && response[.deviceMode] == "shared")
            return response
        }

        @Test func `the default account is the signed-in one, flat, or absent without an error`() async throws {
            let live = try await LiveEnvironment.ready()
            let version = FlatMap([Key.protocolVersion: "4"])
            let before = try await success(try await raw(live), .getDefaultAccount, version)
            #expect(before[.success] == "0" && before[.homeAccountID] == nil)
            #expect(before[.responseType] == "operation_get_default_account_response")

            let amara = try await live.signIn("Amara", through: try live.app(1))
            let app = try await raw(live)
            let now = try await success(app, .getDefaultAccount, version)
            #expect(now[.success] == "1" && now[.homeAccountID] == amara.identifier)
            #expect(try DefaultAccountResponse(now).account?.username == amara.username)
            let stranger = FlatMap([Key.protocolVersion: "4", .clientID: "00000000-0000-0000-0000-000000000000"])
            #expect(try await app.refusal(.getDefaultAccount, stranger).code == .unauthorizedClient)
        }

        @Test func `an app that removes its account gets no silent token until somebody signs in through it`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let first = try await app.token(of: amara).accessToken
            #expect(try await app.token(of: amara).accessToken == first)
            let raw = try await raw(live)
            let client = ClientRequest(clientID: live.facts.apps[0].clientID)
            func remove(_ id: String?, _ name: String?) async throws {
                let request = try #require(RemoveAccountRequest(client: client, homeAccountID: id, username: name))
                let answer = try await success(raw, .removeAccount, request.entries)
                #expect(answer[.success] == "1" && answer[.responseType] == "operation_generic_response")
            }
            // For another worker nothing is stored, so nothing is removed.
            try await remove("somebody.else", nil)
            #expect(try await app.token(of: amara).accessToken == first)
            try await remove(nil, amara.username)
            let refusal = try await seen { try await app.token(of: amara) }
            #expect(refusal.code == .interactionRequired && refusal.reason == "account_removed")
            // The removal is stored on disk, applies to one app, and changes nothing for the device.
            #expect(try await raw.refusal(.removeAccount, client.entries).code == .invalidParameter)
            try live.sessionProcess().kill()
            #expect(try await seen { try await app.token(of: amara) }.reason == "account_removed")
            _ = try await live.app(2).token(of: amara)
            #expect(try await live.status().session == "signedIn")
            // The account stays removed when the app asks for the current account, and the list of accounts names it as
            // removed.
            #expect(try await app.accounts().current == amara)
            #expect(try await seen { try await app.token(of: amara) }.reason == "account_removed")
            let listed = try await success(try await self.raw(live), .getAccounts, client.entries)
            #expect(listed[.removedHomeAccountID] == amara.identifier)
            // An interactive call restores the account. It shows no page, because the worker is signed in.
            let second = try await live.signIn("Amara", through: app)
            #expect(second == amara)
            #expect(try await app.token(of: amara).accessToken != first)
        }

        @Test(arguments: [
            "passkey_assertion_operation", "passkey_credential_operation", "get_prt", "unknown", "", "LOGIN",
        ])
        func `an unknown operation is unsupported, and not in the broker's hello`(name: String)
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let operation = BrokerProtocol.Operation(rawValue: name)
            #expect(!BrokerProtocol.Operation.all.contains(operation))
            let raw = try await raw(live)
            let map = ClientRequest(clientID: live.facts.apps[0].clientID).entries
            #expect(try await raw.refusal(operation, map).code == .unsupported)
        }

        @Test(arguments: BrokerProtocol.Operation.all)
        func `every operation of the hello exists, refuses another version and ignores an unknown key`(
            operation: BrokerProtocol.Operation
        ) async throws {
            let live = try await LiveEnvironment.ready()
            let raw = try await raw(live)
            var map = ClientRequest(clientID: live.facts.apps[0].clientID).entries
            map[Key(rawValue: "a_key_of_the_future")] = "1"
            if case .failure(let error) = try await raw.ask(operation, map) { #expect(error.code != .unsupported) }
            map[.protocolVersion] = nil
            #expect(try await raw.refusal(operation, map).code == .invalidParameter)
            map = Self.everything(live)
            map[.protocolVersion] = "5"
            #expect(try await raw.refusal(operation, map).code == .unsupported)
        }

        @Test func `the hello lists the events that an app may get, and none if it may only acknowledge`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let hello = try await RawApp(live).greet()
            #expect(
                hello.events == BrokerEvent.Name.all
                    && hello.events.map(\.rawValue) == ["will_end", "idle", "unlocked"])
            #expect(try await RawApp(live).greet(endedEpoch: hello.epoch).events.isEmpty)
        }

        /// A map with every key that some operation requires.
        private static func everything(_ live: LiveEnvironment) -> FlatMap {
            FlatMap([
                Key.clientID: live.facts.apps[0].clientID, .redirectURI: live.facts.apps[0].redirectURI,
                .authority: live.facts.authority, .providerType: TokenRequest.providerType, .homeAccountID: "a.b",
                .username: "a@b", .resource: "https://r", .epoch: "1.00000000000000000000000000000000",
            ])
        }
    }
}
