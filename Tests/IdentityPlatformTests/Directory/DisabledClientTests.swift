// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

/// An application that an administrator has disabled, and one whose registration was read a moment ago.
@Suite struct DisabledClientTests {
    @Test func `a disabled application gets nothing, and what it got is of no use until it is enabled again`()
        async throws
    {
        let world = try await World()
        let browser = Browser(world)
        let tokens = try await world.signedIn(browser: browser)
        let (access, refresh) = (try tokens.string(ReplyName.accessToken), try tokens.string(ReplyName.refreshToken))
        let pending = try await browser.get(AuthorizeQuery(world).path).returned()[ParameterName.code]
        try await world.administration.setEnabled(false, world.app)

        let page = try await browser.get(AuthorizeQuery(world).path)
        #expect(page.headers[.location] == nil && page.text.contains("AADSTS7000112"))
        #expect(try await world.redeem(pending).errorNumber == 7_000_112)
        #expect(try await world.refresh(refresh).errorNumber == 7_000_112)
        let device = try await world.client.post(
            "/\(world.tenant.id)/oauth2/v2.0/devicecode", form: ["client_id": world.app.id.rawValue, "scope": "openid"])
        #expect(device.errorNumber == 7_000_112)
        #expect(try await world.me(access).status == .unauthorized)

        try await world.administration.setEnabled(true, world.app)
        #expect(try await world.me(access).status == .ok)
        #expect(try await world.refresh(refresh).status == .ok)
        let log = try await world.platform.database.read { try AuditLog($0).latest(10, tenant: world.tenant.id) }
        let acts = log.filter { $0.subject == world.app.id.rawValue && $0.action.hasPrefix("client.") }
        #expect(acts.map(\.action).suffix(2) == ["client.disable", "client.enable"])
    }

    @Test func `a primary refresh token is of no use to a disabled app, nor to any when its broker is disabled`()
        async throws
    {
        let world = try await World()
        let till = try await Till.joined(world)
        let session = try await till.session()
        _ = try await session.tokens()
        try await world.administration.setEnabled(false, world.app)
        #expect(try await session.use().errorNumber == 7_000_112)
        try await world.administration.setEnabled(true, world.app)
        _ = try await session.tokens()
        let broker = try #require(
            try await world.platform.database.read {
                try Clients($0).all(tenant: world.tenant.id).first { $0.id.rawValue == WellKnownApplication.broker }
            })
        try await world.administration.setEnabled(false, broker)
        #expect(try await session.use().errorNumber == 7_000_112)
        #expect(try await till.issue(session.brokerRefreshToken, counter: 2).errorNumber == 7_000_112)
        try await world.administration.setEnabled(true, broker)
        _ = try await session.tokens()
    }

    @Test func `what a transaction read before a change is not kept after it`() async throws {
        let world = try await World()
        let kept = world.platform.registrations
        let (app, tenant) = (world.app, world.tenant.id)
        let before = kept.view
        try await world.administration.setEnabled(false, app)
        // The read began before the change, and ends after it.
        #expect(try before.client(app.id, tenant: tenant, orElse: { app })?.isEnabled == true)
        let after = kept.view
        let found = try await world.platform.database.read { try Clients($0, after).find(app.id, tenant: tenant) }
        #expect(found?.isEnabled == false)
        // Now it is kept: nobody reads it again, until it changes.
        #expect(try kept.view.client(app.id, tenant: tenant, orElse: { nil })?.isEnabled == false)
        try await world.administration.remove(app)
        #expect(try kept.view.client(app.id, tenant: tenant, orElse: { nil }) == nil)
    }

    @Test func `a second organisation is seen at once where the only one was meant before`() async throws {
        let world = try await World()
        let path = "/common/oauth2/v2.0/authorize?client_id=\(world.app.id)"
        #expect(try await !world.client.get(path).text.contains("AADSTS50059"))
        _ = try await world.administration.addTenant(displayName: "Fabrikam", domain: "fabrikam.test")
        #expect(try await world.client.get(path).text.contains("AADSTS50059"))
    }
}
