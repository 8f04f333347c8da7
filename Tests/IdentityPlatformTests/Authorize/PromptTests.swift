// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// Tests the prompts that a request may require or forbid (OpenID Connect Core section 3.1.2.1).
@Suite struct PromptTests {
    /// Redeems the code in an answer and returns the claims of the id token.
    private func idToken(_ fixture: TestPlatform, _ answer: TestResponse) async throws -> Members {
        let reply = try await fixture.redeem(try answer.returned()[ParameterName.code])
        #expect(reply.status == .ok)
        return try CompactJWS(try reply.json.string(ReplyName.idToken)).claims()
    }

    @Test func `login asks for the password again, and the token has the new time and session`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let first = try await browser.submit(
            try await browser.get(AuthorizeQuery(fixture).path), username: "amara@contoso.test",
            password: TestPlatform.password)
        let before = try await idToken(fixture, first)
        fixture.clock.advance(by: .seconds(90))
        let query = AuthorizeQuery(fixture, ["prompt": "login"])
        let page = try await browser.get(query.path)
        #expect(page.attribute("value", of: "<input id=\"username\"") == "amara@contoso.test")
        let answer = try await browser.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        let after = try await idToken(fixture, answer)
        let times = try [before, after].map { try $0.integer(ClaimName.authenticationTime) }
        #expect(times[1] == times[0] + 90)
        #expect(try before.string(ClaimName.sessionID) != after.string(ClaimName.sessionID))
        // The next request asks for the password again.
        #expect(try await browser.get(query.path).hidden("csrf") != nil)
    }

    @Test func `the broker's sign-in always asks for the password, whoever is signed in`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        let broker = ["client_id": WellKnownApplication.broker, "scope": "openid offline_access"] as [String: String?]
        for prompt in [nil, "consent", "select_account"] {
            let page = try await browser.get(AuthorizeQuery(fixture, broker.merging(["prompt": prompt]) { $1 }).path)
            #expect(page.text.contains("name=\"password\""), "\(prompt ?? "-")")
        }
        let silent = AuthorizeQuery(fixture, broker.merging(["prompt": "none"]) { $1 })
        #expect(try await browser.get(silent.path).returned()[ParameterName.error] == "login_required")
        let header = try #require(HTTPField.Name("x-ms-RefreshTokenCredential"))
        let told = try await fixture.client.get(silent.path, headers: [header: try await session.credential()])
        #expect(try told.returned()[ParameterName.error] == "login_required")
    }

    @Test func `max_age counts from the sign-in, and 0 is equivalent to login`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        fixture.clock.advance(by: .seconds(60))
        #expect(try await browser.get(AuthorizeQuery(fixture, ["max_age": "60"]).path).status == .found)
        #expect(try await browser.get(AuthorizeQuery(fixture, ["max_age": "59"]).path).hidden("csrf") != nil)
        let silent = try await browser.get(AuthorizeQuery(fixture, ["max_age": "59", "prompt": "none"]).path)
        #expect(try silent.returned()[ParameterName.error] == "login_required")
        let answer = try await browser.signIn(AuthorizeQuery(fixture, ["max_age": "0"]))
        #expect(answer[ParameterName.code] != nil)
    }

    @Test func `select_account shows who is signed in, and lets them continue`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        let page = try await browser.get(AuthorizeQuery(fixture, ["prompt": "select_account"]).path)
        #expect(page.status == .ok)
        #expect(page.text.contains("Amara Okafor") && page.text.contains("amara@contoso.test"))
        let answer = try await browser.confirm(page, choice: "yes")
        #expect(answer.status == .seeOther)
        #expect(
            try await idToken(fixture, answer).string(ClaimName.preferredUsername) == "amara@contoso.test")
    }

    @Test func `select_account lets another person sign in`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        let page = try await browser.get(AuthorizeQuery(fixture, ["prompt": "select_account"]).path)
        let other = try await browser.confirm(page, choice: "no")
        #expect(other.attribute("value", of: "<input id=\"username\"") == "")
        let answer = try await browser.submit(other, username: "bo@contoso.test", password: TestPlatform.password)
        #expect(try await idToken(fixture, answer).string(ClaimName.preferredUsername) == "bo@contoso.test")
        // If nobody is signed in, there is no account to choose.
        let fresh = try await Browser(fixture).get(AuthorizeQuery(fixture, ["prompt": "select_account"]).path)
        #expect(fresh.text.contains("<h1>Sign in</h1>"))
    }

    @Test func `consent shows what the application gets, and a refusal reaches the application`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        let query = AuthorizeQuery(fixture, ["prompt": "consent"])
        let page = try await browser.get(query.path)
        for word in ["Ward &lt;app&gt;", "amara@contoso.test", "User.Read", "until you sign out", "your name"] {
            #expect(page.text.contains(word), "\(word)")
        }
        #expect(!page.text.contains("your e-mail address"))
        let declined = try await browser.confirm(page, choice: "no").returned()
        #expect(declined[ParameterName.error] == "access_denied")
        #expect(declined[ParameterName.errorDescription]?.hasPrefix("AADSTS65004:") == true)
        #expect(declined[ParameterName.code] == nil)
        let allowed = try await browser.confirm(try await browser.get(query.path), choice: "yes")
        #expect(try allowed.returned()[ParameterName.code] != nil)
    }

    @Test func `a request with consent is shown after the sign-in, and no code is issued before`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let query = AuthorizeQuery(fixture, ["prompt": "login consent", "max_age": "0"])
        let page = try await browser.submit(
            try await browser.get(query.path), username: "amara@contoso.test", password: TestPlatform.password)
        #expect(page.headers[.location] == nil)
        #expect(page.text.contains("<h1>Allow "))
        let codes = try await fixture.platform.database.read { try $0.rows("SELECT hash FROM authorizationCode").count }
        #expect(codes == 0)
        fixture.clock.advance(by: .seconds(30))
        let answer = try await browser.confirm(page, choice: "yes")
        #expect(try answer.returned()[ParameterName.code] != nil)
    }

    @Test func `nobody can answer a page that was not shown to them or was shown long ago`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        let ask = AuthorizeQuery(fixture, ["prompt": "select_account login"])
        let page = try await browser.get(AuthorizeQuery(fixture, ["prompt": "consent"]).path)
        let (state, request) = (try #require(page.hidden("state")), try #require(page.hidden("request")))
        let path = "/\(fixture.tenant.id)/consent"
        let wanted = String(ask.path.split(separator: "?")[1])
        let other = state.dropFirst(25).first == "x" ? "y" : "x"
        let forged = "\(state.prefix(25))\(other)\(state.dropFirst(26))"
        for (form, word) in [
            (["request": wanted, "state": state, "choice": "yes"], "another request's state"),
            (["request": request, "state": "", "choice": "yes"], "no state"),
            (["request": request, "state": forged, "choice": "yes"], "a forged state"),
        ] as [(KeyValuePairs<String, String>, String)] {
            let answer = try await browser.post(path, form)
            #expect(answer.headers[.location] == nil, "\(word)")
        }
        let stranger = Browser(fixture)
        _ = try await stranger.signIn(AuthorizeQuery(fixture), username: "bo@contoso.test")
        let stolen = try await stranger.post(path, ["request": request, "state": state, "choice": "yes"])
        #expect(stolen.headers[.location] == nil)
        // The form that chooses the account does not answer the question for consent.
        let account = try await browser.get(AuthorizeQuery(fixture, ["prompt": "select_account consent"]).path)
        #expect(try await browser.confirm(account, choice: "yes").text.contains("<h1>Allow "))
        let crossed = try await browser.post(
            path,
            [
                "request": try #require(account.hidden("request")), "state": try #require(account.hidden("state")),
                "choice": "yes",
            ])
        #expect(crossed.headers[.location] == nil)
        fixture.clock.advance(by: .seconds(601))
        #expect(try await browser.confirm(page, choice: "yes").headers[.location] == nil)
    }

    @Test func `none never shows a page`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let query = AuthorizeQuery(fixture, ["prompt": "none"])
        #expect(try await browser.get(query.path).returned()[ParameterName.error] == "login_required")
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        #expect(try await browser.get(query.path).returned()[ParameterName.code] != nil)
        for hint in ["bo@contoso.test", "nobody@contoso.test"] {
            let answer = try await browser.get(AuthorizeQuery(fixture, ["prompt": "none", "login_hint": hint]).path)
            #expect(try answer.returned()[ParameterName.error] == "login_required")
        }
    }

    @Test func `an id token as a hint names the only person whom the answer may be about`() async throws {
        let fixture = try await TestPlatform()
        let amara = Browser(fixture)
        let hint = try await fixture.signedIn(browser: amara).string(ReplyName.idToken)
        let silent = ["prompt": "none", "id_token_hint": hint]
        #expect(try await amara.get(AuthorizeQuery(fixture, silent).path).returned()[ParameterName.code] != nil)
        let bo = Browser(fixture)
        _ = try await bo.signIn(AuthorizeQuery(fixture), username: "bo@contoso.test")
        let refused = try await bo.get(AuthorizeQuery(fixture, silent).path).returned()
        #expect(refused[ParameterName.error] == "login_required")
        let query = AuthorizeQuery(fixture, ["id_token_hint": hint])
        let page = try await bo.get(query.path)
        #expect(page.attribute("value", of: "<input id=\"username\"") == "amara@contoso.test")
        let other = try await bo.submit(page, username: "bo@contoso.test", password: TestPlatform.password)
        #expect(try other.returned()[ParameterName.error] == "login_required")
        // An expired hint is accepted; a changed hint is refused.
        fixture.clock.advance(by: .seconds(7200))
        #expect(try await amara.get(query.path).status == .found)
        let parts = hint.split(separator: ".")
        let unsigned = "\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(parts[1])."
        let forged = try await amara.get(AuthorizeQuery(fixture, ["id_token_hint": unsigned]).path)
        #expect(try forged.returned()[ParameterName.error] == "invalid_request")
    }

    @Test func `a login hint fills in the name on the page`() async throws {
        let fixture = try await TestPlatform()
        let page = try await Browser(fixture).get(AuthorizeQuery(fixture, ["login_hint": "bo@contoso.test"]).path)
        #expect(page.attribute("value", of: "<input id=\"username\"") == "bo@contoso.test")
        let domain = try await Browser(fixture).get(AuthorizeQuery(fixture, ["domain_hint": "contoso.test"]).path)
        #expect(domain.attribute("value", of: "<input id=\"username\"") == "")
    }
}
