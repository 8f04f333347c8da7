// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Synchronization
import Testing

/// The INT, SIL, RES, CACHE and ERR rules of docs/reference/msal-rules.md.
@Suite(.timeLimit(.minutes(10))) struct TokenTests {
    private let webview = MSALWebviewParameters(authPresentationViewController: NSObject())

    @Test func `a sign-in sends all that the broker needs, and returns the worker's token`() async throws {
        let asked = Mutex<Request?>(nil)
        let broker = try ScriptedBroker { end in
            try end.greet()
            let request = try end.request()
            asked.withLock { $0 = request }
            try end.answer(request, TestValues.token(TestValues.amara, scopes: ["User.Read", "Mail.Read", "openid"]))
            end.waitForEnd()
        }
        let parameters = MSALInteractiveTokenParameters(scopes: ["user.read", "mail.read"], webviewParameters: webview)
        parameters.promptType = .selectAccount
        parameters.loginHint = "amara@baton.test"
        let correlation = UUID()
        parameters.correlationId = correlation
        let result = try await broker.application().acquireToken(with: parameters)

        #expect(result.accessToken == "token")
        #expect(result.authorizationHeader == "Bearer token")
        #expect(result.account.identifier == TestValues.amara.homeAccountID)
        #expect(result.account.username == "amara@baton.test")
        #expect(result.expiresOn == Date(timeIntervalSince1970: 2_000_000_000))
        #expect(result.correlationId == correlation)
        let request = try #require(asked.withLock { $0 })
        #expect(request.operation == .login)
        #expect(!request.isSilent)
        let token = try TokenRequest(request.parameters)
        #expect(token.client == ClientRequest(clientID: "client-1", correlationID: correlation.uuidString.lowercased()))
        #expect(token.redirectURI == "msauth.org.example.worker://auth")
        #expect(token.authority == "https://login.baton.test/\(TestValues.tenant)")
        #expect(token.scopes == ["user.read", "mail.read"])
        #expect(token.prompt == "select_account")
        #expect(token.username == "amara@baton.test")
    }

    @Test func `the description of a result or an account reveals no content`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.answer(try end.request(), TestValues.token(TestValues.amara, accessToken: "CANARY"))
            end.waitForEnd()
        }
        let parameters = MSALInteractiveTokenParameters(scopes: [], webviewParameters: webview)
        let result = try await broker.application().acquireToken(with: parameters)
        #expect(result.accessToken == "CANARY" && result.account.username == "amara@baton.test")
        var shown = "\(result) \(String(reflecting: result)) \(result.account)"
        dump(result, to: &shown)
        #expect(!shown.contains("CANARY"))
        #expect(!shown.contains("amara"))
    }

    @Test(arguments: ["openid", "Profile", "OFFLINE_ACCESS", "client-1", "", "a b"])
    func `INT-2 reserved and malformed scopes are refused without asking the broker`(scope: String) async throws {
        let broker = try ScriptedBroker()
        let parameters = MSALInteractiveTokenParameters(scopes: ["user.read", scope], webviewParameters: webview)
        let application = try broker.application()
        #expect(
            try await seen { try await application.acquireToken(with: parameters) }.asInternal
                == .internalErrorInvalidParameter)
    }

    @Test func `CACHE-1 every silent call asks the broker`() async throws {
        let count = Mutex(0)
        let broker = try ScriptedBroker { end in
            try end.greet()
            while true {
                let request = try end.request()
                let refresh = try TokenRequest(request.parameters)
                guard request.operation == .refresh, request.isSilent,
                    refresh.homeAccountID == TestValues.amara.homeAccountID
                else { throw ScriptFailure() }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                try end.answer(request, TestValues.token(TestValues.amara, accessToken: "token-\(number)"))
            }
        }
        let application = try broker.application()
        let account = try await account(TestValues.amara)
        for number in 1...3 {
            let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: account)
            #expect(try await application.acquireTokenSilent(with: parameters).accessToken == "token-\(number)")
        }
    }

    @Test func `a silent token of another account is refused`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.answer(try end.request(), TestValues.token(TestValues.bo))
            end.waitForEnd()
        }
        let application = try broker.application()
        let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: try await account(TestValues.amara))
        #expect(
            try await seen { try await application.acquireTokenSilent(with: parameters) }.asInternal
                == .internalErrorMismatchedUser)
    }

    @Test func `SIL-1 a silent call without an account requires interaction`() async throws {
        let broker = try ScriptedBroker()
        let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: try await account(TestValues.amara))
        parameters.account = nil
        let application = try broker.application()
        let error = try await seen { try await application.acquireTokenSilent(with: parameters) }
        #expect(error.code == MSALError.interactionRequired.rawValue)
        #expect(error.internalCode == nil)
    }

    /// The broker's code, and the code and internal code that apps see (ERR-2, ERR-3, ERR-6).
    static let codes: [(Int, Int, Int?)] = [
        (-51100, -50000, -42008), (-51111, -50000, -42008), (-51112, -50000, -42000), (-51113, -50000, -42106),
        (-51114, -50000, -42008), (-51115, -50002, nil), (-51117, -50000, -42101), (-51118, -50000, -42001),
        (-51119, -50000, -42011), (-51200, -50000, -42102), (-51400, -50000, -42104), (-51401, -50000, -42600),
        (-51410, -50000, -42002), (-51411, -50000, -42003), (-51412, -50000, -42004), (-51413, -50000, -42005),
        (-51414, -50000, -42006), (-51415, -50003, nil), (-51416, -50005, nil), (-51417, -50000, -50006),
        (-51430, -50004, nil), (-51500, -50000, -42007), (-51501, -50000, -42009), (-51600, -50000, -42010),
        (-51700, -50005, nil), (-51701, -50005, nil), (-51710, -50000, -42402), (-51720, -50000, -42403),
        (-51800, -50000, -42700), (-51805, -50000, -42705), (-51810, -50001, nil), (-51811, -50000, -42711),
        (-51814, -50000, -42714), (-51890, -50000, -42714), (-52001, -50000, -42008), (-50142, -50142, nil),
        (-50000, -50000, -42008),
    ]

    @Test(arguments: codes)
    func `ERR-2 ERR-6 a broker's code becomes the public one`(number: Int, code: Int, internalCode: Int?) async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            try end.reply(
                try end.request(), .failure(BrokerError(BrokerError.Code(rawValue: number), "Cause. Remedy.")))
            end.waitForEnd()
        }
        let application = try broker.application()
        let parameters = MSALInteractiveTokenParameters(scopes: [], webviewParameters: webview)
        let error = try await seen { try await application.acquireToken(with: parameters) }
        #expect(error.domain == MSALErrorDomain)
        #expect(error.code == code)
        #expect(error.internalCode == internalCode)
        #expect(error.text == "Cause. Remedy.")
    }

    @Test(arguments: [
        (-51412, "invalid_grant", MSALError.interactionRequired), (-51400, "odd", .interactionRequired),
        (-51417, "server_error", .internal), (-51400, "temporarily_unavailable", .internal),
        (-51413, "invalid_scope", .internal),
        (-51411, "invalid_client", .internal), (-51430, "unauthorized_client", .serverProtectionPoliciesRequired),
    ])
    func `SIL-9 OAuth errors of a silent call require interaction, except those that no person can resolve`(
        number: Int, oauth: String, expected: MSALError
    ) async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            let error = BrokerError(
                BrokerError.Code(rawValue: number), "Cause.", oauthError: oauth, oauthSuberror: "suberror")
            try end.reply(try end.request(), .failure(error))
            end.waitForEnd()
        }
        let application = try broker.application()
        let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: try await account(TestValues.amara))
        let correlation = UUID()
        parameters.correlationId = correlation
        do {
            _ = try await application.acquireTokenSilent(with: parameters)
            Issue.record("A refused token call succeeded.")
        } catch let error as NSError {
            #expect(error.code == expected.rawValue)
            #expect(error.userInfo[MSALOAuthErrorKey] as? String == oauth)
            #expect(error.userInfo[MSALOAuthSubErrorKey] as? String == "suberror")
            #expect(error.userInfo[MSALCorrelationIDKey] as? String == correlation.uuidString)
        }
    }

    @Test(arguments: [
        (-51414, "protection_policy_required", [Int](), MSALError.serverProtectionPoliciesRequired),
        (-51410, "", [50142], .serverInvalidRequestResetPasswordRequired),
        (-51414, "", [], .interactionRequired), (-51410, "", [90002], .interactionRequired),
    ])
    func `ERR-2 a protection policy and a password reset are recognised by the identity platform's error`(
        number: Int, suberror: String, numbers: [Int], expected: MSALError
    ) async throws {
        let broker = try ScriptedBroker.answering { _ in
            var error = BrokerError(
                BrokerError.Code(rawValue: number), "Cause.", oauthError: "refused", oauthSuberror: suberror)
            error.serverCodes = numbers
            throw error
        }
        let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: try await account(TestValues.amara))
        let application = try broker.application()
        #expect(try await seen { try await application.acquireTokenSilent(with: parameters) }.code == expected.rawValue)
    }

    @Test(
        arguments: [
            (BrokerError.Reason.signedInOffline, "signed_in_offline"), (.unknownClient, "unknown_client"),
            (.blocked, "app_blocked"), (nil, "interaction_required"),
            // Not a well-formed reason. Apps must not receive it, because they may show it or compare with it.
            (BrokerError.Reason(rawValue: "Amara is here"), "interaction_required"),
        ] as [(BrokerError.Reason?, String)])
    func `the broker's reason reaches the app as a stable word, or else the error's name does`(
        reason: BrokerError.Reason?, expected: String
    ) async throws {
        let broker = try ScriptedBroker.answering { _ in
            throw BrokerError(.interactionRequired, "Cause. Remedy.", reason: reason)
        }
        let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: try await account(TestValues.amara))
        let application = try broker.application()
        let error = try await #require(throws: (any Error).self) {
            try await application.acquireTokenSilent(with: parameters)
        }
        #expect((error as NSError).userInfo[BatonReasonKey] as? String == expected)
    }

    @Test(arguments: [Key.accessToken, .idToken, .clientInfo, .authority, .expiresOn])
    func `a token response with a missing or malformed part is an error`(key: Key) async throws {
        for nonsense in [nil, "!"] where !(key == .accessToken && nonsense != nil) {
            let broker = try ScriptedBroker { end in
                try end.greet()
                var map = TestValues.token(TestValues.amara)
                map[key] = nonsense
                try end.answer(try end.request(), map)
                end.waitForEnd()
            }
            let application = try broker.application()
            let parameters = MSALInteractiveTokenParameters(scopes: [], webviewParameters: webview)
            #expect(
                try await seen { try await application.acquireToken(with: parameters) }.asInternal
                    == .internalErrorBrokerUnknown)
        }
    }

    private func account(_ record: AccountRecord) async throws -> MSALAccount { try await MSALTests.account(record) }
}

/// Returns an account that the library made from a broker's answer, as apps get it.
func account(_ record: AccountRecord) async throws -> MSALAccount {
    let broker = try ScriptedBroker { end in
        try end.greet()
        try end.answer(try end.request(), TestValues.current(record, previous: nil))
        end.waitForEnd()
    }
    return try #require(try await broker.application().currentAccount(with: nil).0)
}
