// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import OAuth
import Storage
import TestSupport
import Testing

@testable import IdentityPlatform

@Suite struct PageContentTests {
    @Test func `the domain of the organisation may be left out of a user name`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        #expect(page.text.contains("The part before @contoso.test is enough."))
        let answer = try await browser.submit(page, username: " Amara ", password: TestPlatform.password)
        #expect(answer.status == .seeOther)
    }

    @Test func `a name with a domain is not changed, and an empty one stays empty`() async throws {
        let tenant = try await TestPlatform().tenant
        #expect(tenant.userName(typed: "amara@other.test") == "amara@other.test")
        #expect(tenant.userName(typed: "amara@") == "amara@")
        #expect(tenant.userName(typed: "\u{a0}amara\t") == "amara@contoso.test")
        #expect(tenant.userName(typed: "  ").isEmpty)
    }

    @Test func `the pages load only files of this server, which a browser may cache`() async throws {
        let fixture = try await TestPlatform()
        let page = try await fixture.client.get(AuthorizeQuery(fixture).path)
        let policy = try #require(page.headers[.contentSecurityPolicy])
        for part in ["default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self'"] {
            #expect(policy.contains(part + ";"))
        }
        #expect(!policy.contains("unsafe") && !policy.contains("sha256"))
        let stylesheet = try #require(page.attribute("href", of: "<link rel=\"stylesheet\""))
        let script = try #require(page.attribute("src", of: "<script"))
        for (path, type) in [(stylesheet, "text/css"), (script, "text/javascript")] {
            let file = try await fixture.client.get(path)
            #expect(file.status == .ok && file.headers[.contentType]?.hasPrefix(type) == true)
            #expect(file.headers[.cacheControl] == "public, max-age=31536000, immutable")
            #expect(file.headers[.xContentTypeOptions] == "nosniff")
        }
        #expect(try await fixture.client.get(stylesheet.replacing("form-", with: "form-0")).status == .notFound)
    }

    @Test func `an error that only an administrator can correct is shown with its number`() async throws {
        let fixture = try await TestPlatform()
        let page = try await fixture.client.get(
            AuthorizeQuery(fixture, ["redirect_uri": "https://elsewhere.test"]).path, headers: [.acceptLanguage: "ar"])
        #expect(page.status == .badRequest && page.text.contains("dir=\"rtl\""))
        #expect(page.text.contains("<p lang=\"en\" dir=\"ltr\">AADSTS50011: "))
    }
}
