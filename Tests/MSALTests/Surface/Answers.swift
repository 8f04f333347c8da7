// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL

/// What apps get, made by the library out of a broker's answers.
enum Answers {
    /// A token's answer, with these claims in the id token.
    static func result(
        claims: String = #"{"preferred_username":"amara@baton.test"}"#, accessToken: String = "token",
        clientInfo: String? = nil
    ) async throws -> MSALResult {
        let owner = #"{"uid":"\#(TestValues.amara.localAccountID)","utid":"\#(TestValues.amara.realm)"}"#
        let response = TokenResponse(
            authority: "https://login.baton.test/\(TestValues.tenant)", accessToken: accessToken,
            idToken: "e30.\(TestValues.base64URL(claims)).c2ln", scopes: ["User.Read"], expiresOn: 2_000_000_000,
            clientInfo: TestValues.base64URL(clientInfo ?? owner))
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.answer(try end.request(), response.entries)
            end.waitForEnd()
        }
        let parameters = MSALInteractiveTokenParameters(
            scopes: ["User.Read"], webviewParameters: MSALWebviewParameters(authPresentationViewController: NSObject()))
        return try await broker.serving { try await $0.acquireToken(with: parameters) }
    }

    /// The accounts that an app gets where the broker lists `records`.
    static func accounts(
        _ records: [AccountRecord], for parameters: MSALAccountEnumerationParameters = .init()
    ) async throws -> [MSALAccount] {
        try await broker(listing: records).serving { try await $0.accountsFromDevice(for: parameters) }
    }

    /// A broker that lists `records` as often as it is asked.
    static func broker(listing records: [AccountRecord]) throws -> ScriptedBroker {
        try ScriptedBroker { end in
            try end.greet()
            while true { try end.answer(try end.request(), AccountsResponse(accounts: records).entries) }
        }
    }
}

extension ScriptedBroker {
    /// Runs `body` with an application of this broker, and keeps the broker alive until `body` returns.
    func serving<Value>(_ body: (MSALPublicClientApplication) async throws -> Value) async throws -> Value {
        let application = try application()
        defer { withExtendedLifetime(self) {} }
        return try await body(application)
    }
}
