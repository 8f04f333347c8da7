// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import JSON
import OAuth
import Storage
import TestSupport
import Testing
import WebPages

@testable import IdentityPlatform

@Suite struct PageLanguageTests {
    @Test func `every language has every text, with the same placeholders`() throws {
        _ = try PageText.catalogue.get()
        _ = try KeyboardText.catalogue.get()
    }

    @Test(arguments: Language.allCases) func `the sign-in page is in the language that the app requests`(
        language: Language
    ) async throws {
        let fixture = try await TestPlatform()
        let texts = try PageText.catalogue.get()
        let page = try await Browser(fixture).get(
            AuthorizeQuery(fixture, ["ui_locales": "xx \(language.rawValue)-CH"]).path, [.acceptLanguage: "en"])
        #expect(page.text.contains("<html lang=\"\(language.rawValue)\" dir=\"\(language.direction.rawValue)\">"))
        #expect(page.text.contains("<title>\(texts.text(.signIn, in: language))</title>"))
        #expect(page.text.contains(texts.text(.password, in: language)))
    }

    @Test func `without a language from the app the page uses the browser's language, or English`() async throws {
        let fixture = try await TestPlatform()
        let path = AuthorizeQuery(fixture).path
        #expect(
            try await Browser(fixture).get(path, [.acceptLanguage: "nl,de;q=0.5,fr;q=0.9"]).text.contains("lang=\"fr\"")
        )
        #expect(try await Browser(fixture).get(path, [.acceptLanguage: "nl"]).text.contains("<html lang=\"en\""))
    }

    @Test func `a person can change the language on the page, and all later pages keep it`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture, ["prompt": "consent"]).path)
        let action = try #require(page.attribute("action", of: "<form"))
        let german = try await browser.post(
            action,
            [
                "csrf": try #require(page.hidden("csrf")), "request": try #require(page.hidden("request")),
                "username": "amara@contoso.test", "language": "de",
            ])
        #expect(german.status == .ok && german.alert == nil)
        #expect(german.text.contains("<html lang=\"de\"") && german.hidden("username") == "amara@contoso.test")
        let wrong = try await browser.submit(german, username: "amara", password: "wrong")
        #expect(wrong.text.contains("<html lang=\"de\""))
        #expect(wrong.alert?.hasPrefix("Benutzername oder Passwort") == true)
        let consent = try await browser.submit(wrong, username: "amara", password: TestPlatform.password)
        #expect(consent.text.contains("<html lang=\"de\"") && consent.text.contains("Die App bittet um"))
    }

    @Test func `an unknown language changes nothing`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        let answer = try await browser.post(
            try #require(page.attribute("action", of: "<form")),
            [
                "csrf": try #require(page.hidden("csrf")), "request": try #require(page.hidden("request")),
                "username": "amara", "language": "\"><script>",
            ])
        #expect(answer.shownError == 50126 && answer.text.contains("<html lang=\"en\""))
    }

    @Test func `the discovery document lists the languages`() async throws {
        let fixture = try await TestPlatform()
        let document = try await fixture.client.get("/contoso.test/v2.0/.well-known/openid-configuration").json
        #expect(document.values["ui_locales_supported"] == .array(Language.allCases.map { .string($0.rawValue) }))
    }
}
