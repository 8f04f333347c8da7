// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// Requests that the broker can read but refuses: each gets the code and the reason in
    /// `docs/reference/broker-protocol.md`.
    @Suite struct RefusalTests {
        private static func token(_ live: LiveEnvironment, of account: String? = nil) -> FlatMap {
            let app = live.facts.apps[0]
            var request = TokenRequest(
                client: ClientRequest(clientID: app.clientID), redirectURI: app.redirectURI,
                authority: live.facts.authority, scopes: ["User.Read"])
            request.homeAccountID = account
            return request.entries
        }

        private static func signOut(_ live: LiveEnvironment, _ account: String) -> FlatMap {
            let app = live.facts.apps[0]
            return SignOutRequest(
                client: ClientRequest(clientID: app.clientID), homeAccountID: account, authority: live.facts.authority,
                redirectURI: app.redirectURI
            ).entries
        }

        private func greeted(_ live: LiveEnvironment) async throws -> RawApp {
            let raw = try RawApp(live)
            try await raw.greet()
            return raw
        }

        @Test func `a refresh without an account lacks a parameter, whether or not somebody is signed in`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            func refused() async throws {
                let raw = try await greeted(live)
                for empty in [nil, ""] {
                    var map = Self.token(live, of: empty)
                    map[.username] = empty
                    let error = try await raw.refusal(.refresh, map)
                    #expect(error.code == .invalidParameter && error.message.contains("home_account_id"), "\(error)")
                }
            }
            try await refused()
            try await live.signIn("Amara", through: try live.app(1))
            try await refused()
        }

        @Test func `a provider type or a Boolean that the page does not name is refused, and signs nobody out`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let amara = try await live.signIn("Amara", through: try live.app(1))
            let account = try #require(amara.identifier)
            let raw = try await greeted(live)
            let wrong: [(Key, [String])] = [
                (.providerType, ["provider_msa", "PROVIDER_AAD_V2", "1"]),
                (.forceRefresh, ["yes", "true", "2", "01", " "]), (.signoutFromBrowser, ["YES", "-1"]),
                (.wipeAccount, ["no"]), (.wipeCacheForAllAccounts, ["false"]),
            ]
            for (key, values) in wrong {
                for value in values {
                    let isToken = key == .forceRefresh
                    var map = isToken ? Self.token(live, of: account) : Self.signOut(live, account)
                    map[key] = value
                    let error = try await raw.refusal(isToken ? .refresh : .signOut, map)
                    #expect(error.code == .developerParameter, "\(key.rawValue) \(value): \(error)")
                    #expect(error.message.contains(key.rawValue), "\(error)")
                }
            }
            // Booleans of JSON count as 1 and 0.
            var map = Self.token(live, of: account)
            for truth in ["false", "true"] {
                map[.forceRefresh] = "@"
                let request = ClientMessage.request(
                    Request(id: truth, operation: .refresh, parameters: map, isSilent: true))
                try raw.send(frame: String(decoding: request.bytes, as: UTF8.self).replacing(#""@""#, with: truth))
                guard case .message(.reply(let reply)) = try await raw.answer(),
                    case .success(let answer) = reply.outcome
                else { throw TestProblem("\(truth) is refused") }
                #expect(answer[.accessToken] != nil)
            }
            #expect(try await live.app(2).token(of: amara).account == amara)
        }

        @Test(arguments: [#""1""#, "1", "null", "[]"])
        func `a request whose is_silent is no Boolean is refused, and shows nothing`(value: String) async throws {
            let live = try await LiveEnvironment.ready()
            let raw = try await greeted(live)
            for operation in [BrokerProtocol.Operation.login, .getDeviceInfo] {
                let request = ClientMessage.request(
                    Request(id: "1", operation: operation, parameters: Self.token(live), isSilent: true))
                try raw.send(
                    frame: String(decoding: request.bytes, as: UTF8.self)
                        .replacing(#""is_silent":true"#, with: #""is_silent":"# + value))
                guard case .message(.reply(let reply)) = try await raw.answer(), reply.requestID == "1",
                    case .failure(let error) = reply.outcome
                else { throw TestProblem("\(operation.rawValue) is not refused") }
                #expect(error.code == .developerParameter && error.message.contains("is_silent"), "\(error)")
            }
            #expect(try await raw.refusal(.getAccounts, FlatMap()).code == .invalidParameter)
        }

        @Test func `an eraser without a session, a silent login, and a sign-out of another account have a reason`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let client = ClientRequest(clientID: live.facts.apps[0].clientID).entries
            let raw = try await greeted(live)
            let eraser = try await raw.refusal(.registerEraser, client)
            #expect(eraser.code == .interactionRequired && eraser.reason?.rawValue == "nobody_signed_in", "\(eraser)")
            let login = try await raw.refusal(.login, Self.token(live))
            #expect(login.code == .interactionRequired && login.reason?.rawValue == "silent_login", "\(login)")
            try await live.signIn("Amara", through: try live.app(1))
            let other = try await greeted(live).refusal(.signOut, Self.signOut(live, "somebody.else"))
            #expect(other.code == .mismatchedAccount && other.reason?.rawValue == "other_account", "\(other)")
        }

        @Test func `an acknowledgement on the connection of another ended epoch is told which one it may name`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let client = ClientRequest(clientID: live.facts.apps[0].clientID)
            var random = SystemRandomNumberGenerator()
            let (first, second) = (Epoch(random: &random, counter: 1), Epoch(random: &random, counter: 1))
            let report = EraserReport(client: client, epoch: second, result: .done).entries
            let plain = try await greeted(live).refusal(.acknowledge, report)
            #expect(
                plain.code == .developerParameter && plain.message.contains("Connect with ended_epoch in the hello"))
            let raw = try RawApp(live)
            try await raw.greet(endedEpoch: first)
            let error = try await raw.refusal(.acknowledge, report)
            #expect(error.code == .developerParameter && error.message.contains("another ended epoch"), "\(error)")
            #expect(error.message.contains("baton_epoch") && !error.message.contains(first.description))
        }

        @Test func `each connection that is closed for what it sent leaves one line without its words`() async throws {
            let live = try await LiveEnvironment.ready()
            let hello = ClientMessage.hello(
                ClientHello(clientName: "canary-of-refusals", clientVersion: "canary-of-refusals"))
            let cases: [(String, (RawApp) async throws -> Void)] = [
                (
                    "a connection is closed: it did not begin with a hello that the broker accepts",
                    {
                        try $0.send(
                            frame:
                                #"{"hello":{"transport_min":90,"transport_max":99,"client_name":"canary-of-refusals"}}"#
                        )
                    }
                ),
                (
                    "a connection is closed: a frame is not a message of the protocol",
                    { app in
                        try await app.greet()
                        try app.send(frame: #"{"canary-of-refusals":1}"#)
                    }
                ),
                (
                    "a connection is closed: it sent a second hello",
                    { app in
                        try await app.greet()
                        try app.send(hello)
                    }
                ),
                (
                    "a connection is closed: a frame is too long",
                    { app in
                        try await app.greet()
                        try app.send(raw: [0, 0x10, 0, 1])
                    }
                ),
                (
                    "a connection is closed: the rest of a frame is missing",
                    { app in
                        try await app.greet()
                        try app.send(raw: [0, 0, 0, 100] + Array("canary-of-refusals".utf8))
                        app.close()
                    }
                ),
            ]
            for (line, play) in cases {
                let app = try RawApp(live)
                try await play(app)
                #expect(try await app.ends())
                try await live.log(of: .broker, says: line)
            }
            #expect(try !live.log(of: .broker).contains("canary-of-refusals"))
        }

        @Test func `without a person, an app is told of the program that acts as one, and not of a screen`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            try? live.leave()
            let error = try await seen { try await live.app(1).signIn() }
            #expect(error.internalCode == .internalErrorNoViewController, "\(error)")
            #expect(error.reason == "browser_program_ended", "\(error)")
            for part in ["browser.command", "baton-dev up --person", "person.log"] {
                #expect(error.text.contains(part), "\(error)")
            }
            #expect(!error.text.contains("screen") && !error.text.contains("DISPLAY"), "\(error)")
        }
    }
}
