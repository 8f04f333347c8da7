// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// Tests that applications that an administrator has disabled are refused, even if their registration was cached.
@Suite struct DisabledClientTests {
    @Test func `a disabled application gets nothing, and its earlier tokens fail until it is enabled again`()
        async throws
    {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let tokens = try await fixture.signedIn(browser: browser)
        let (access, refresh) = (try tokens.string(ReplyName.accessToken), try tokens.string(ReplyName.refreshToken))
        let pending = try await browser.get(AuthorizeQuery(fixture).path).returned()[ParameterName.code]
        try await fixture.administration.clients.setEnabled(false, fixture.app)

        let page = try await browser.get(AuthorizeQuery(fixture).path)
        #expect(page.headers[.location] == nil && page.text.contains("AADSTS7000112"))
        #expect(try await fixture.redeem(pending).errorNumber == 7_000_112)
        #expect(try await fixture.refresh(refresh).errorNumber == 7_000_112)
        let device = try await fixture.client.post(
            "/\(fixture.tenant.id)/oauth2/v2.0/devicecode",
            form: ["client_id": fixture.app.id.rawValue, "scope": "openid"])
        #expect(device.errorNumber == 7_000_112)
        #expect(try await fixture.me(access).status == .unauthorized)

        try await fixture.administration.clients.setEnabled(true, fixture.app)
        #expect(try await fixture.me(access).status == .ok)
        #expect(try await fixture.refresh(refresh).status == .ok)
        let log = try await fixture.platform.database.read { try AuditLog($0).latest(10, tenant: fixture.tenant.id) }
        let acts = log.filter { $0.subject == fixture.app.id.rawValue && $0.action.hasPrefix("client.") }
        #expect(acts.map(\.action).suffix(2) == ["client.disable", "client.enable"])
    }

    @Test func `a primary refresh token fails for a disabled app, and for every app if its broker is disabled`()
        async throws
    {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session()
        _ = try await session.tokens()
        try await fixture.administration.clients.setEnabled(false, fixture.app)
        #expect(try await session.use().errorNumber == 7_000_112)
        try await fixture.administration.clients.setEnabled(true, fixture.app)
        _ = try await session.tokens()
        let broker = try #require(
            try await fixture.platform.database.read {
                try Clients($0).all(tenant: fixture.tenant.id).first { $0.id.rawValue == WellKnownApplication.broker }
            })
        try await fixture.administration.clients.setEnabled(false, broker)
        #expect(try await session.use().errorNumber == 7_000_112)
        #expect(try await testDevice.issue(session.brokerRefreshToken, counter: 2).errorNumber == 7_000_112)
        try await fixture.administration.clients.setEnabled(true, broker)
        _ = try await session.tokens()
    }

    @Test func `data that a transaction read before a change is not cached after the change`() async throws {
        let fixture = try await TestPlatform(on: .sqlite)
        let kept = fixture.platform.directoryCache
        let (app, tenant) = (fixture.app, fixture.tenant.id)
        let before = kept.view
        try await fixture.administration.clients.setEnabled(false, app)
        // A read that began before the change ends after it.
        #expect(try before.client(app.id, tenant: tenant, orElse: { app })?.isEnabled == true)
        let after = kept.view
        let found = try await fixture.platform.database.read { try Clients($0, after).find(app.id, tenant: tenant) }
        #expect(found?.isEnabled == false)
        // The registration is now in the cache, and is not read again until it changes.
        #expect(try kept.view.client(app.id, tenant: tenant, orElse: { nil })?.isEnabled == false)
        try await fixture.administration.clients.remove(app)
        #expect(try kept.view.client(app.id, tenant: tenant, orElse: { nil }) == nil)
    }

    @Test func `when a second organisation is added, requests must name one at once`() async throws {
        let fixture = try await TestPlatform()
        let path = "/common/oauth2/v2.0/authorize?client_id=\(fixture.app.id)"
        #expect(try await !fixture.client.get(path).text.contains("AADSTS50059"))
        _ = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        #expect(try await fixture.client.get(path).text.contains("AADSTS50059"))
    }
}
