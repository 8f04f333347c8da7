// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// The plans of the statements that run because of requests from devices and workers. No plan may read a whole table;
/// otherwise an organisation with a hundred thousand people would wait longer than an organisation with ten.
@Suite struct QueryPlanTests {
    @Test func `sign-ins and tokens read no whole table`() async throws {
        let scans = FullScans()
        let fixture = try await TestPlatform(on: .sqlite, over: { PlannedDatabase($0, recordingIn: scans) })
        let browser = Browser(fixture)
        _ = try await browser.get(AuthorizeQuery(fixture).path)
        scans.reset()
        let tokens = try await fixture.signedIn(browser: browser)
        let access = try tokens.string(ReplyName.accessToken)
        #expect(try await fixture.refresh(try tokens.string(ReplyName.refreshToken)).status == .ok)
        #expect(try await fixture.me(access).status == .ok)
        // A second sign-in in the same browser, and a sign-in with a wrong password.
        _ = try await browser.get(AuthorizeQuery(fixture).path)
        let stranger = Browser(fixture)
        let page = try await stranger.get(AuthorizeQuery(fixture).path)
        _ = try await stranger.submit(page, username: "amara@contoso.test", password: "wrong")
        #expect(scans.planned > 20)
        #expect(scans.found == [])
    }

    @Test func `a device's sign-in, silent tokens, status and sign-out read no whole table`() async throws {
        let scans = FullScans()
        let fixture = try await TestPlatform(on: .sqlite, over: { PlannedDatabase($0, recordingIn: scans) })
        let device = try await TestDevice.joined(fixture)
        scans.reset()
        let session = try await device.session()
        _ = try await session.tokens()
        let renewed = try await session.renewed().session
        _ = try await renewed.tokens()
        #expect(try await session.status() == .live)
        #expect(try await session.end().status == .ok)
        #expect(try await session.status() == .ended)
        #expect(scans.planned > 20)
        // This statement finds the server's only organisation, and stops at the second organisation. Later requests are
        // answered from memory.
        let tolerated = "FROM tenant WHERE removed IS NULL LIMIT 2"
        #expect(scans.found.filter { !$0.hasSuffix(tolerated) } == [])
    }

    @Test func `a full scan is found, with its statement`() async throws {
        let scans = FullScans()
        let fixture = try await TestPlatform(on: .sqlite, over: { PlannedDatabase($0, recordingIn: scans) })
        scans.reset()
        _ = try await fixture.platform.database.read { try $0.rows("SELECT id FROM person WHERE displayName = 'x'") }
        #expect(scans.planned == 1)
        #expect(scans.found.count == 1 && scans.found.first?.contains("displayName") == true)
    }
}
