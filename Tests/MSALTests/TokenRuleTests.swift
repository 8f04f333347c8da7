// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Synchronization
import Testing

/// The INT, SIL and CLM rules of docs/reference/msal-rules.md: how parameters reach the broker and how its answer
/// reaches the app.
@Suite(.timeLimit(.minutes(10))) struct TokenRuleTests {
    private func interactive(_ scopes: [String] = ["user.read"]) -> MSALInteractiveTokenParameters {
        MSALInteractiveTokenParameters(
            scopes: scopes, webviewParameters: MSALWebviewParameters(authPresentationViewController: NSObject()))
    }

    /// Returns the request that the broker receives for a sign-in with parameters that `change` has modified.
    private func asked(_ change: (MSALInteractiveTokenParameters) throws -> Void) async throws -> TokenRequest {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests) { _ in TestValues.token(TestValues.amara) }
        let parameters = interactive()
        try change(parameters)
        _ = try await broker.application().acquireToken(with: parameters)
        return try TokenRequest(requests.only().parameters)
    }

    private final class ProofOfPossession: NSObject, MSALAuthenticationSchemeProtocol {
        var scheme: MSALAuthScheme { .pop }
        var authenticationScheme: String { "Pop" }
    }

    @Test func `INT-1 an authentication scheme other than Bearer is refused without asking the broker`() async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests)
        let application = try broker.application()
        let parameters = interactive(["openid"])
        parameters.authenticationScheme = ProofOfPossession()
        let error = try await seen { try await application.acquireToken(with: parameters) }
        #expect(error.asInternal == .internalErrorInvalidParameter)
        // The library checks the scheme before the scopes, which are also invalid.
        #expect(error.text.contains("scheme"))
        #expect(requests.all.isEmpty)
    }

    @Test func `INT-2 scopes are trimmed, and requested once whatever their case`() async throws {
        let token = try await asked { $0.scopes = [" user.read", "User.Read\n", "user.READ"] }
        #expect(token.scopes == ["user.read"])
    }

    @Test(
        arguments: [
            (MSALPromptType.selectAccount, "select_account"), (.login, "login"), (.consent, "consent"),
            (.create, "create"), (.promptIfNecessary, nil),
        ] as [(MSALPromptType, String?)])
    func `INT-6 each prompt type has its text`(prompt: MSALPromptType, text: String?) async throws {
        #expect(try await asked { $0.promptType = prompt }.prompt == text)
    }

    @Test func `INT-7 the person who signed in gets the session, whoever the app suggested`() async throws {
        let broker = try ScriptedBroker.answering { _ in TestValues.token(TestValues.bo) }
        let parameters = interactive()
        parameters.loginHint = TestValues.amara.username
        parameters.account = try await account(TestValues.amara)
        let result = try await broker.application().acquireToken(with: parameters)
        #expect(result.account.identifier == TestValues.bo.homeAccountID)
    }

    @Test func `INT-8 a second worker is refused while one is signed in`() async throws {
        let broker = try ScriptedBroker.answering { _ in
            throw BrokerError(.mismatchedAccount, "Another worker is signed in on this device. Sign out first.")
        }
        let application = try broker.application()
        let error = try await seen { try await application.acquireToken(with: interactive()) }
        #expect(error.asInternal == .internalErrorMismatchedUser)
        #expect(error.text.contains("Sign out first"))
    }

    @Test(arguments: [true, false])
    func `INT-9 ERR-8 if fewer scopes are granted, the error has them and the token`(silent: Bool) async throws {
        let broker = try ScriptedBroker.answering { _ in
            TestValues.token(TestValues.amara, scopes: ["openid", "profile", "User.Read"])
        }
        let application = try broker.application()
        let scopes = ["user.read", "Mail.Read", "email"]
        do {
            if silent {
                let parameters = MSALSilentTokenParameters(scopes: scopes, account: try await account(TestValues.amara))
                _ = try await application.acquireTokenSilent(with: parameters)
            } else {
                _ = try await application.acquireToken(with: interactive(scopes))
            }
            Issue.record("Declined scopes went unnoticed.")
        } catch let error as NSError {
            #expect(error.code == MSALError.serverDeclinedScopes.rawValue)
            #expect(error.userInfo[MSALDeclinedScopesKey] as? [String] == ["Mail.Read"])
            #expect(error.userInfo[MSALGrantedScopesKey] as? [String] == ["User.Read"])
            let result = try #require(error.userInfo[MSALInvalidResultKey] as? MSALResult)
            #expect(result.accessToken == "token")
            #expect(result.scopes == ["openid", "profile", "User.Read"])
        }
    }

    @Test func `INT-9 a request for all scopes of a resource is met by any scope of it`() async throws {
        let broker = try ScriptedBroker.answering { _ in TestValues.token(TestValues.amara, scopes: ["User.Read"]) }
        let result = try await broker.application().acquireToken(
            with: interactive(["https://graph.microsoft.com/.default"]))
        #expect(result.scopes == ["User.Read"])
    }

    @Test func `INT-11 the server's access_denied counts as a cancel`() async throws {
        let broker = try ScriptedBroker.answering { _ in
            throw BrokerError(.accessDenied, "AADSTS65004: Declined.", oauthError: "access_denied")
        }
        let application = try broker.application()
        let error = try await seen { try await application.acquireToken(with: interactive()) }
        #expect(error.code == MSALError.userCanceled.rawValue)
    }

    @Test func `INT-12 hints and extra parameters reach the broker`() async throws {
        let token = try await asked { parameters in
            parameters.domainHint = "seaview.baton.test"
            parameters.preferredAuthMethod = .QRPIN
            parameters.extraQueryParameters = ["slice": "test & more", "domain_hint": "other"]
            parameters.extraScopesToConsent = ["mail.read"]
        }
        #expect(
            token.extraQueryParameters
                == ["slice": "test & more", "domain_hint": "seaview.baton.test", "pc": "18"])
        #expect(token.extraScopesToConsent == ["mail.read"])
    }

    @Test(
        arguments: [
            ("common", nil, TestValues.tenant), ("organizations", nil, TestValues.tenant),
            ("consumers", nil, TestValues.tenant),
            ("seaview.baton.test", nil, "seaview.baton.test"), ("common", "other.test", "other.test"),
        ] as [(String, String?, String)])
    func `SIL-4 an authority that names no organisation is replaced by the account's own`(
        configured: String, given: String?, expected: String
    ) async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests) { _ in TestValues.token(TestValues.amara) }
        let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: try await account(TestValues.amara))
        parameters.authority = try given.map {
            try MSALAADAuthority(url: #require(URL(string: "https://login.baton.test/\($0)")))
        }
        let application = try broker.application(tenant: configured)
        let result = try await application.acquireTokenSilent(with: parameters)
        let token = try TokenRequest(requests.only().parameters)
        #expect(token.authority == "https://login.baton.test/\(expected)")
        // RES-3: whichever authority was requested, the result names the authority to use from now on.
        #expect(result.authority.url.absoluteString == "https://login.baton.test/\(TestValues.tenant)")
    }

    @Test(arguments: [true, false])
    func `SIL-5 SIL-7 a forced refresh, claims and capabilities reach the broker and bypass its cache`(
        forced: Bool
    )
        async throws
    {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests) { _ in TestValues.token(TestValues.amara) }
        let application = try broker.application { $0.clientApplicationCapabilities = ["cp1"] }
        let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: try await account(TestValues.amara))
        parameters.forceRefresh = forced
        parameters.allowUsingLocalCachedRtWhenSsoExtFailed = false
        let claims = MSALClaimsRequest()
        try claims.requestClaim(MSALIndividualClaimRequest(name: "email"), for: .idToken)
        parameters.claimsRequest = claims
        _ = try await application.acquireTokenSilent(with: parameters)
        let token = try TokenRequest(requests.only().parameters)
        #expect(token.forceRefresh == forced)
        #expect(token.claims == #"{"id_token":{"email":null}}"#)
        #expect(token.clientCapabilities == ["cp1"])
    }

    @Test func `CLM-2 a request whose claims were all removed has no claims`() async throws {
        let token = try await asked { parameters in
            let claims = MSALClaimsRequest()
            try claims.requestClaim(MSALIndividualClaimRequest(name: "email"), for: .idToken)
            try claims.removeClaim(withName: "email", target: .idToken)
            parameters.claimsRequest = claims
        }
        #expect(token.claims == nil)
    }

    @Test(arguments: ["x", "[]", #"{"userinfo":{}}"#])
    func `CLM-1 a malformed claims request ends the call, and is not left out`(text: String) async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests)
        let application = try broker.application()
        let parameters = interactive()
        parameters.claimsRequest = unsafe MSALClaimsRequest(jsonString: text, error: nil)
        let error = try await seen { try await application.acquireToken(with: parameters) }
        #expect(error.asInternal == .internalErrorInvalidParameter)
        #expect(requests.all.isEmpty)
    }

    @Test func `CLM-3 a claim with a value that is not JSON ends the call with an error`() async throws {
        let broker = try ScriptedBroker.answering()
        let application = try broker.application()
        let parameters = interactive()
        let claim = MSALIndividualClaimRequest(name: "email")
        let info = MSALIndividualClaimRequestAdditionalInfo()
        info.value = Date()
        claim.additionalInfo = info
        let claims = MSALClaimsRequest()
        try claims.requestClaim(claim, for: .accessToken)
        parameters.claimsRequest = claims
        #expect(
            try await seen { try await application.acquireToken(with: parameters) }.asInternal
                == .internalErrorInvalidParameter)
    }

    @Test func `SIL-13 every silent call that fails asks the broker again`() async throws {
        let requests = Requests()
        let broker = try ScriptedBroker.answering(requests) { _ in
            throw BrokerError(.interactionRequired, "Nobody is signed in. Sign in.")
        }
        let application = try broker.application()
        let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: try await account(TestValues.amara))
        for _ in 0..<3 {
            do {
                _ = try await application.acquireTokenSilent(with: parameters)
                Issue.record("A refused token call succeeded.")
            } catch let error as NSError { #expect(error.userInfo[MSALThrottlingCacheHitKey] == nil) }
        }
        #expect(requests.all.count == 3)
    }

    @Test func `SIL-8 SIL-12 the broker decides when a token is renewed`() async throws {
        let broker = try ScriptedBroker.answering { _ in TestValues.token(TestValues.amara) }
        let application = try broker.application { $0.tokenExpirationBuffer = 1e12 }
        let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: try await account(TestValues.amara))
        #expect(try await application.acquireTokenSilent(with: parameters).accessToken == "token")
    }

    @Test func `SIL-14 for a worker who has left, interaction is required`() async throws {
        let broker = try ScriptedBroker.answering { _ in
            throw BrokerError(.interactionRequired, "Nobody is signed in on this device. Sign in interactively.")
        }
        let application = try broker.application()
        let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: try await account(TestValues.amara))
        let error = try await seen { try await application.acquireTokenSilent(with: parameters) }
        #expect(error.code == MSALError.interactionRequired.rawValue && error.internalCode == nil)
    }

    @Test func `ERR-5 ERR-7 the server's error and the id of the request are under their keys`() async throws {
        let broker = try ScriptedBroker.answering { _ in
            var error = BrokerError(.server, "AADSTS7: Odd.", oauthError: "odd", oauthSuberror: "very")
            error.serverCodes = [7]
            throw error
        }
        let application = try broker.application()
        let parameters = interactive()
        let correlation = UUID()
        parameters.correlationId = correlation
        do {
            _ = try await application.acquireToken(with: parameters)
            Issue.record("A refused sign-in succeeded.")
        } catch let error as NSError {
            #expect(error.userInfo[MSALOAuthErrorKey] as? String == "odd")
            #expect(error.userInfo[MSALOAuthSubErrorKey] as? String == "very")
            #expect(error.userInfo[MSALSTSErrorCodesKey] as? [NSNumber] == [7])
            #expect(error.userInfo[MSALCorrelationIDKey] as? String == correlation.uuidString)
            // ERR-7: `userInfo` has the text under the library's own key and under the system's key.
            #expect(error.localizedDescription == "AADSTS7: Odd.")
            #expect(error.userInfo[MSALErrorDescriptionKey] as? String == "AADSTS7: Odd.")
        }
    }
}
