// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import JSON
import MSAL
import Testing

/// The library decodes each text from the broker only once. The values that an app gets must still belong to the reply
/// that contained the text.
@Suite(.timeLimit(.minutes(10))) struct DecodedReplyTests {
    private let worker = MSALAccount(
        identifier: TestValues.amara.homeAccountID, username: nil, environment: "login.baton.test")

    private func token(named name: String, at host: String = "login.baton.test") -> FlatMap {
        TokenResponse(
            authority: "https://\(host)/\(TestValues.tenant)", accessToken: "token of \(name)",
            idToken: "e30.\(TestValues.base64URL(#"{"preferred_username":"\#(name)"}"#)).c2ln", scopes: ["User.Read"],
            expiresOn: 2_000_000_000,
            clientInfo: TestValues.base64URL(
                #"{"uid":"\#(TestValues.amara.localAccountID)","utid":"\#(TestValues.tenant)"}"#)
        ).entries
    }

    @Test func `each token has the account of its own id token, however many there are`() async throws {
        // More texts than the library keeps, each decoded several times, in two orders.
        let names = (0..<12).map { "worker\($0)" }
        let asked = names.flatMap { [$0, $0] } + names.reversed()
        let broker = try ScriptedBroker { end in
            try end.greet()
            for name in asked { try end.answer(try end.request(), token(named: name)) }
            end.waitForEnd()
        }
        let application = try broker.application()
        let parameters = MSALSilentTokenParameters(scopes: ["User.Read"], account: worker)
        for name in asked {
            let result = try await application.acquireTokenSilent(with: parameters)
            #expect(result.account.username == name)
            #expect(result.accessToken == "token of \(name)")
            #expect(result.tenantProfile.claims?["preferred_username"] as? String == name)
        }
    }

    @Test func `a token with a known id token keeps its own authority and correlation id`() async throws {
        let hosts = ["login.baton.test", "login.other.test", "login.baton.test"]
        let broker = try ScriptedBroker { end in
            try end.greet()
            for host in hosts { try end.answer(try end.request(), token(named: "amara", at: host)) }
            end.waitForEnd()
        }
        let application = try broker.application()
        let parameters = MSALSilentTokenParameters(scopes: ["User.Read"], account: worker)
        for host in hosts {
            parameters.correlationId = UUID()
            let result = try await application.acquireTokenSilent(with: parameters)
            #expect(result.account.environment == host)
            #expect(result.authority.url.host == host)
            #expect(result.correlationId == parameters.correlationId)
        }
    }

    @Test func `an unreadable id token is an error each time, even after a readable one`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            for isReadable in [true, false, false, true] {
                var entries = token(named: "amara")
                if !isReadable { entries[.idToken] = "e30.e30" }
                try end.answer(try end.request(), entries)
            }
            end.waitForEnd()
        }
        let application = try broker.application()
        let parameters = MSALSilentTokenParameters(scopes: ["User.Read"], account: worker)
        _ = try await application.acquireTokenSilent(with: parameters)
        for _ in 0..<2 {
            let error = try await seen { try await application.acquireTokenSilent(with: parameters) }
            #expect(error.text.contains("id_token cannot be read"))
        }
        #expect(try await application.acquireTokenSilent(with: parameters).account.username == "amara")
    }

    @Test func `accounts are always those of their own reply`() async throws {
        let bo = AccountRecord(
            homeAccountID: TestValues.bo.homeAccountID, localAccountID: "o", realm: TestValues.tenant,
            environment: "login.baton.test", username: "bo@baton.test",
            idTokenClaims: .object(["name": .string("Bo"), "level": .integer(3)]))
        let replies = [[TestValues.amara], [bo], [], [TestValues.amara], [bo]]
        let broker = try ScriptedBroker { end in
            try end.greet()
            for accounts in replies { try end.answer(try end.request(), AccountsResponse(accounts: accounts).entries) }
            end.waitForEnd()
        }
        let application = try broker.application()
        for accounts in replies {
            let listed = try await application.accountsFromDevice(for: MSALAccountEnumerationParameters())
            #expect(listed.map(\.username) == accounts.map(\.username))
            #expect(listed.first?.accountClaims?["level"] as? Int == (accounts == [bo] ? 3 : nil))
        }
    }

    @Test func `request ids and correlation ids are random UUIDs`() async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests) { _ in AccountsResponse(accounts: []).entries }
        let application = try broker.application()
        for _ in 0..<50 { _ = try await application.accountsFromDevice(for: MSALAccountEnumerationParameters()) }
        let texts = requests.all.flatMap { [$0.id, $0.parameters[.correlationID] ?? ""] }
        #expect(Set(texts).count == 100)
        // RFC 9562 section 5.4: version 4, variant 10.
        #expect(
            texts.allSatisfy { text in
                UUID(uuidString: text)?.uuidString == text && text.dropFirst(14).first == "4"
                    && "89AB".contains(text.dropFirst(19).prefix(1))
            })
    }
}
