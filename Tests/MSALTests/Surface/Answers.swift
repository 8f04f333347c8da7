// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL

/// Values as apps get them: the library makes them from a broker's answers.
enum Answers {
    /// Returns the result of a sign-in with these claims in the ID token.
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

    /// Returns the accounts that an app gets from a broker that lists `records`.
    static func accounts(
        _ records: [AccountRecord], for parameters: MSALAccountEnumerationParameters = .init()
    ) async throws -> [MSALAccount] {
        try await broker(listing: records).serving { try await $0.accountsFromDevice(for: parameters) }
    }

    /// Returns a broker that answers every request with the accounts `records`.
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
