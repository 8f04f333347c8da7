// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import FoundationEssentials
import HTTPTypes
import Hummingbird
import OAuth
import Storage
import TestSupport
import Testing
import WebPages

@testable import IdentityPlatform

@Suite struct BrandingTests {
    @Test func `the sign-in page has the organisation's name, logo and colour`() async throws {
        let fixture = try await TestPlatform()
        let path = AuthorizeQuery(fixture).path
        #expect(try await fixture.client.get(path).text.contains("<p class=\"organisation\">Contoso"))
        #expect(!(try await fixture.client.get(path).text.contains("<img")))
        let logo = try #require(PageImage(bytes: TestImage.png))
        try await fixture.administration.tenants.setBranding(colour: "#5b2a86", logo: logo, tenant: fixture.tenant)
        let page = try await fixture.client.get(path)
        let image = try await fixture.client.get(try #require(page.attribute("src", of: "<img")))
        #expect(image.status == .ok && image.body == TestImage.png && image.headers[.contentType] == "image/png")
        #expect(image.headers[.xContentTypeOptions] == "nosniff")
        // The first stylesheet is the one that all pages share.
        let sheets = page.text.split(separator: "<link rel=\"stylesheet\" href=\"").dropFirst()
        let colour = String(try #require(sheets.last).prefix { $0 != "\"" })
        #expect(try await fixture.client.get(colour).text == ":root { --accent: #5b2a86; }\n")
    }

    @Test func `a replaced or removed logo is no longer served`() async throws {
        let fixture = try await TestPlatform()
        let tenants = fixture.administration.tenants
        let logo = try #require(PageImage(bytes: TestImage.png))
        try await tenants.setBranding(colour: nil, logo: logo, tenant: fixture.tenant)
        let page = try await fixture.client.get(AuthorizeQuery(fixture).path)
        let address = try #require(page.attribute("src", of: "<img"))
        #expect(!page.text.contains("colour.css"))
        let other = try #require(PageImage(bytes: TestImage.png + [8]))
        try await tenants.setBranding(colour: nil, logo: other, tenant: fixture.tenant)
        #expect(try await fixture.client.get(address).status == .notFound)
        try await tenants.setBranding(colour: nil, logo: nil, tenant: fixture.tenant)
        #expect(!(try await fixture.client.get(AuthorizeQuery(fixture).path).text.contains("<img")))
    }

    @Test func `the branding of an organisation is removed with it`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.administration.tenants.setBranding(colour: "#000000", logo: nil, tenant: fixture.tenant)
        _ = try await fixture.administration.tenants.remove(fixture.tenant)
        let rows = try await fixture.platform.database.read { try $0.rows("SELECT tenant FROM tenantBranding") }
        #expect(rows.isEmpty)
    }
}
