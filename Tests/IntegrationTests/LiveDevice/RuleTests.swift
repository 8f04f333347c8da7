// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// Rules of `docs/reference/msal-rules.md` that need library, broker and identity platform together.
    @Suite struct RuleTests {
        @Test func `CUR-5 CUR-12 CUR-13 an app's own change is reported once, like the changes of others`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let first = try await app.application.currentAccount(with: nil)
            #expect(first.0 == amara && first.1 == nil)
            let second = try await app.application.currentAccount(with: nil)
            #expect(second.0 == amara && second.1 == amara)
            try await app.signOut(amara)
            let third = try await app.application.currentAccount(with: nil)
            #expect(third.0 == nil && third.1 == amara)
            let fourth = try await app.application.currentAccount(with: nil)
            #expect(fourth.0 == nil && fourth.1 == nil)
        }

        @Test func `CUR-1 CUR-7 the broker keeps a change that an app missed, even across its own restart`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let amara = try await live.signIn("Amara", through: try live.app(1))
            #expect(try await live.app(2).accounts().current == amara)
            try await live.app(1).signOut(amara)
            try await live.kill(.broker)
            try await live.start(.broker)
            // A new process of app 2. The previous broker told the app of Amara.
            let fresh = try live.app(2)
            let told = try await fresh.accounts()
            #expect(told.current == nil && told.previous == amara)
            #expect(try await fresh.accounts().previous == nil)
        }

        @Test func `CUR-1 an app that only got a token is told that its worker has left, even after a restart`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            // App 1 signs in and app 2 gets a token silently; neither asks for the current account.
            let amara = try await live.signIn("Amara", through: try live.app(1))
            _ = try await live.app(2).token(of: amara)
            try await live.app(3).signOut(amara)
            let bo = try await live.signIn("Bo", through: try live.app(3))
            for number in 1...2 {
                let app = try live.app(number)
                let told = try await app.accounts()
                #expect(told.current == bo && told.previous == amara, "app \(number)")
                #expect(try await app.accounts().previous == bo)
            }
        }

        @Test func `CUR-7 an app that asked while no broker ran is notified when the broker starts, and asks it`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.broker)
            let app = try live.app(1, patience: .milliseconds(50))
            let refusal = try await seen { try await app.accounts() }
            #expect(refusal.internalCode == .internalBrokerNotAvailable && refusal.reason == "broker_silent")
            let (notes, signal) = AsyncStream.makeStream(of: Void.self)
            let observer = app.notifications.addObserver(
                forName: Notification.Name("SHARED_MODE_CURRENT_ACCOUNT_CHANGED"), object: nil, queue: nil
            ) { _ in signal.yield() }
            defer { app.notifications.removeObserver(observer) }
            try await live.start(.broker)
            var iterator = notes.makeAsyncIterator()
            await iterator.next()
            #expect(try await app.accounts().current == nil)
        }

        @Test(arguments: [MSALPromptType.login, .create])
        func `INT-8 a worker who is signed in is not asked for credentials again, and the error says so`(
            prompt: MSALPromptType
        ) async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let refusal = try await seen { try await app.signIn { $0.promptType = prompt } }
            #expect(refusal.internalCode == .internalErrorMismatchedUser && refusal.reason == "already_signed_in")
            #expect(refusal.text.contains("Sign out first"))
            for harmless in [MSALPromptType.selectAccount, .consent, .promptIfNecessary] {
                #expect(try await app.signIn { $0.promptType = harmless }.account == amara)
            }
        }

        @Test
        func `CUR-5 a change that one reader of a client acknowledged still reaches the others, even after a restart`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            #expect(try await app.accounts().current == amara)
            let told = try await NamedReader(live, "stream").accounts()
            #expect(told.current?.homeAccountID == amara.identifier && told.previousHomeAccountID == nil)
            try await app.signOut(amara)
            // MSAL receives the change and acknowledges it.
            #expect(try await app.accounts().previous == amara)
            #expect(try await app.accounts().previous == nil)
            try await live.kill(.broker)
            try await live.start(.broker)
            let reader = try await NamedReader(live, "stream")
            let left = try await reader.accounts()
            #expect(left.current == nil && left.previousHomeAccountID == amara.identifier)
            try await reader.acknowledge(left)
            #expect(try await reader.accounts().previousHomeAccountID == nil)
        }

        @Test func `CUR-6 code that asks once after each change is told of each worker once`() async throws {
            let live = try await LiveEnvironment.ready()
            let (app, other) = (try live.app(1), try live.app(2))
            for name in ["Amara", "Bo"] {
                let worker = try await live.signIn(name, through: other)
                #expect(try await app.accountsForAsyncCode() == (worker, nil))
                try await other.signOut(worker)
                try await live.settle()
                #expect(try await app.accountsForAsyncCode() == (nil, worker))
            }
        }

        @Test func `a reader's name is a short word, and an app has sixteen readers`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.signIn("Amara", through: try live.app(1))
            for name in ["Stream", "a b", "a:b", String(repeating: "a", count: 17)] {
                #expect(try await NamedReader(live, name).refusal().code == .developerParameter)
            }
            for name in "abcdefghijklmnop" { _ = try await NamedReader(live, String(name)).accounts() }
            let refusal = try await NamedReader(live, "q").refusal()
            #expect(refusal.code == .developerParameter && refusal.message.contains("readers"))
            // The existing readers are still served, and so is the reader without a name.
            _ = try await NamedReader(live, "a").accounts()
            #expect(try await live.app(1).accounts().current != nil)
        }

        @Test func `OUT-10 ENUM-2 CACHE-6 accounts from the calls without blocks come from the broker, too`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let application = app.application
            let known = try await blocking { try application.allAccounts() }
            #expect(known == [amara])
            #expect(known.first?.tenantProfiles?.first?.tenantId == live.facts.tenantID)
            #expect(known.first?.accountClaims?["name"] is String)
            try await live.app(2).signOut(amara)
            #expect(try await blocking { try application.allAccounts() }.isEmpty)
        }

        @Test func `INT-9 the app is told which scopes it did not get, and gets the token for the others`() async throws
        {
            let live = try await LiveEnvironment.ready()
            try live.seat("Amara")
            do {
                _ = try await live.app(1).signIn(scopes: ["user.read", "mail.read"])
                Issue.record("Declined scopes went unnoticed.")
            } catch let error as NSError {
                #expect(error.code == MSALError.serverDeclinedScopes.rawValue, "\(Seen(error))")
                #expect(error.userInfo[MSALDeclinedScopesKey] as? [String] == ["mail.read"])
                #expect(error.userInfo[MSALGrantedScopesKey] as? [String] == ["user.read"])
                let result = try #require(error.userInfo[MSALInvalidResultKey] as? MSALResult)
                #expect(try await live.me(result.accessToken) == 200)
                // The worker is signed in, although the app did not get every scope.
                #expect(try await live.app(2).accounts().current == result.account)
            }
        }

        @Test func `INT-10 cancelling a sign-in closes the browser, and the device becomes ready`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            // The agent is stopped, so the browser hangs before anybody can act.
            try live.send(SIGSTOP, to: .agent)
            async let outcome = seen { try await app.signIn() }
            try await live.journalSays("signingIn")
            #expect(app.cancel())
            try live.send(SIGCONT, to: .agent)
            #expect(try await outcome.code == .userCanceled)
            #expect(!app.cancel())
            try await live.journalLeaves("signingIn")
            try await live.settle()
            #expect(try live.isClean)
            let bo = try await live.signIn("Bo", through: app)
            #expect(try await app.accounts().current == bo)
        }

        @Test func `CLM-1 SIL-7 requested claims come from the server, bypassing every cache`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let cached = try await app.token(of: amara).accessToken
            #expect(try await app.token(of: amara).accessToken == cached)
            let asked = try await app.token(of: amara) { parameters in
                let claims = MSALClaimsRequest()
                try claims.requestClaim(MSALIndividualClaimRequest(name: "given_name"), for: .accessToken)
                parameters.claimsRequest = claims
            }.accessToken
            #expect(try payload(asked)["given_name"] as? String == "Amara")
            #expect(try payload(cached)["given_name"] == nil)
            // A call that requests no claims does not get a token that was made for requested claims.
            #expect(try await app.token(of: amara).accessToken == cached)
            #expect(try await app.token(of: amara, refreshed: true).accessToken != cached)
        }

        @Test func `RES-3 ERR-5 one id is in the app, in the broker's log and in the identity platform's log`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let id = UUID()
            do {
                _ = try await app.token(of: amara) { parameters in
                    parameters.correlationId = id
                    let elsewhere = try #require(URL(string: "\(live.facts.loginURL)/nobody.baton.test"))
                    parameters.authority = try MSALAADAuthority(url: elsewhere)
                }
                Issue.record("A tenant that is not there gave a token.")
            } catch let error as NSError {
                #expect(error.userInfo[MSALCorrelationIDKey] as? String == id.uuidString)
                #expect(error.userInfo[MSALSTSErrorCodesKey] as? [NSNumber] == [90002])
            }
            #expect(try live.log(of: .server).contains("request.id=\(id.uuidString.lowercased())"))
            #expect(try live.log(of: .broker).contains("request.id=\(id.uuidString.lowercased())"))
            let result = try await app.token(of: amara, refreshed: true) { $0.correlationId = id }
            #expect(result.correlationId == id)
            #expect(result.authority.url.absoluteString == live.facts.authority)
        }

        @Test func `ERR-5 the id of a sign-out is in the identity platform's log of the session's end`() async throws {
            let live = try await LiveEnvironment.ready()
            let amara = try await live.signIn("Amara", through: try live.app(1))
            let id = UUID()
            try await NamedReader(live, "").signOut(amara, correlation: id)
            try await live.serverHearsOfEveryEnd()
            #expect(try live.log(of: .broker).contains("request.id=\(id.uuidString.lowercased())"))
            #expect(try live.log(of: .server).contains("request.id=\(id.uuidString.lowercased())"))
        }

        @Test(arguments: ["https://login.evil.test/common", "other", "consumers"])
        func `SIL-4 an authority of another platform or organisation is refused`(authority: String) async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let url = authority.hasPrefix("https") ? authority : "\(live.facts.loginURL)/\(authority)"
            let refused = try await seen {
                try await app.token(of: amara) { parameters in
                    parameters.authority = try MSALAADAuthority(url: #require(URL(string: url)))
                }
            }
            #expect(refused.internalCode == .internalErrorFailedAuthorityValidation)
        }

        @Test(arguments: ["contoso.com", "nobody.baton.test"])
        func `SIL-4 a sign-in with the domain of another organisation is refused before a page opens`(
            domain: String
        ) async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let refused = try await seen {
                try await app.signIn { parameters in
                    let url = try #require(URL(string: "https://login.microsoftonline.com/\(domain)"))
                    parameters.authority = try MSALAADAuthority(url: url)
                }
            }
            #expect(refused.internalCode == .internalErrorFailedAuthorityValidation)
            #expect(refused.text.contains("organisation"), "\(refused.text)")
        }

        @Test func `INT-12 an app's parameters and hints reach the page, but cannot replace the broker's`() async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            for name in ["client_id", "STATE", "redirect_uri", "prompt"] {
                let refused = try await seen { try await app.signIn { $0.extraQueryParameters = [name: "x"] } }
                #expect(refused.internalCode == .internalErrorInvalidParameter)
                #expect(refused.text.contains(name.lowercased()))
            }
            try live.seat("Amara")
            let result = try await app.signIn { parameters in
                parameters.extraQueryParameters = ["slice": "test & more"]
                parameters.domainHint = EnvironmentFacts.domain
                parameters.promptType = .selectAccount
            }
            #expect(result.account.username == (try live.person("Amara").userName))
        }

        /// Runs a blocking call on a thread of its own.
        private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                Thread { continuation.resume(with: Result { try body() }) }.start()
            }
        }

        /// The claims of an access token.
        private func payload(_ token: String) throws -> [String: Any] {
            let part = try #require(token.split(separator: ".").dropFirst().first)
            let standard = part.replacing("-", with: "+").replacing("_", with: "/")
            let padded = standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
            let data = try #require(Data(base64Encoded: String(padded)))
            return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        }
    }
}
