// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

@Suite struct EndSessionTests {
    @Test func `the device ends its session and everything issued from it`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let browser = Browser(fixture)
        let refresh = try await fixture.brokerTokens(browser: browser).string(ReplyName.refreshToken)
        let issued = try PrimaryRefreshToken.IssueReply(decoding: try await testDevice.issue(refresh).body)
        let session = TestDeviceSession(
            testDevice: testDevice, reply: issued, key: try issued.sessionKey(transportKey: testDevice.transportKey),
            counter: 1,
            brokerRefreshToken: refresh)
        let access = try await session.tokens().string(ReplyName.accessToken)
        let pending = try await browser.get(AuthorizeQuery(fixture).path).returned()[ParameterName.code]
        #expect(pending != nil)

        let answer = try await session.end(endsBrowserSession: true)
        #expect(answer.status == .ok)
        #expect(answer.text == #"{"ended":true}"#)
        #expect(try await session.use().errorNumber == 70000)
        #expect(try await fixture.refresh(refresh, ["client_id": WellKnownApplication.broker]).errorNumber == 70000)
        #expect(try await fixture.redeem(pending).errorNumber == 70000)
        #expect(try await fixture.me(access).status == .unauthorized)
        #expect(try await browser.get(AuthorizeQuery(fixture).path).status == .ok)
        #expect(try await session.end().text == #"{"ended":true}"#)
    }

    @Test func `a session that the server does not know counts as ended`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        for unknown in ["0af3c2b1-0000-4000-8000-000000000001", "never seen"] {
            #expect(try await session.end(sessionID: unknown, counter: 0).status == .ok)
        }
        #expect(try await session.use().status == .ok)
    }

    @Test func `a device cannot end another device's session`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let other = try await TestDevice.joined(fixture, number: 1)
        #expect(try await session.end(by: other).text == #"{"ended":true}"#)
        #expect(try await session.use().status == .ok)
    }

    @Test func `a device cannot end a session that is not bound to any device`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let tokens = try await fixture.signedIn("bo@contoso.test")
        let claims = try CompactJWS(try tokens.string(ReplyName.accessToken)).claims()
        let id = try claims.string(ClaimName.sessionID)
        #expect(try await session.end(sessionID: id).text == #"{"ended":true}"#)
        #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .ok)
    }

    @Test(arguments: [
        "https://login.test:8443", "https://LOGIN.test:8443", "https://login.test", "https://login.test:443",
        "HTTPS://Login.Test:9000",
    ])
    func `a device may write the server's address in any equivalent form`(origin: String) async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let path = EndpointPath.endSession(tenant: fixture.tenant.id.rawValue)
        #expect(try await session.end(audience: origin + path).text == #"{"ended":true}"#)
        #expect(try await session.use().errorNumber == 70000)
    }

    @Test(arguments: [
        "http://login.test:8443", "https://login.test.evil.test", "https://evil.test/https://login.test:8443",
        "https://login.test@evil.test", "login.test", "",
    ])
    func `a request for another address is refused as such and ends nothing`(origin: String) async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let path = EndpointPath.endSession(tenant: fixture.tenant.id.rawValue)
        #expect(try await session.end(audience: origin + path).errorNumber == 5_000_615)
        let other = EndpointPath.endSession(tenant: "0af3c2b1-0000-4000-8000-000000000001")
        #expect(try await session.end(audience: "https://login.test:8443" + other).errorNumber == 5_000_615)
        #expect(
            try await session.end(deviceID: "0af3c2b1-0000-4000-8000-000000000001").errorNumber == 5_000_616)
        #expect(try await session.use().status == .ok)
    }

    @Test func `a nonce stays valid if the clock is set back by a few seconds`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let nonce = try await session.testDevice.nonce()
        fixture.clock.advance(by: .seconds(-31))
        #expect(try await session.end(nonce: nonce).suberror == Suberror.staleNonce)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await session.end(nonce: nonce).text == #"{"ended":true}"#)
    }

    @Test func `after the end no lower epoch is accepted`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session(counter: 3)
        #expect(try await session.end().status == .ok)
        let refresh = try await fixture.brokerTokens().string(ReplyName.refreshToken)
        #expect(try await session.testDevice.issue(refresh, counter: 2).suberror == Suberror.staleEpoch)
        // The epoch that has just ended is refused, too.
        #expect(try await session.testDevice.issue(refresh, counter: 3).suberror == Suberror.staleEpoch)
        #expect(try await session.testDevice.issue(refresh, counter: 4).status == .ok)
    }

    @Test func `an epoch is over when its end is reported, even if no session is known in it`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session(counter: 3)
        let scopes = ["openid", "offline_access", "User.Read"]
        let app = try await session.tokens(scopes: scopes).string(ReplyName.refreshToken)
        #expect(try await session.end(sessionID: "never seen", counter: 4).status == .ok)
        #expect(try await session.use().errorNumber == 70000)
        #expect(try await fixture.refresh(app).errorNumber == 70000)
        #expect(try await session.status(counter: 4) == .ended)
        let refresh = try await fixture.brokerTokens().string(ReplyName.refreshToken)
        #expect(try await session.testDevice.issue(refresh, counter: 4).suberror == Suberror.staleEpoch)
        #expect(try await session.testDevice.issue(refresh, counter: 5).status == .ok)
    }

    @Test func `a stale nonce and a replay are refused`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        #expect(try await session.end(nonce: "x").suberror == Suberror.staleNonce)
        let nonce = try await session.testDevice.nonce()
        #expect(try await session.end(nonce: nonce, sessionID: "unknown", counter: 0).status == .ok)
        let replay = try await session.end(nonce: nonce, sessionID: "unknown", counter: 0)
        #expect(replay.suberror == Suberror.replayedRequest)
        #expect(try await session.use().status == .ok)
    }

    @Test func `a disabled device may still report that a session ended`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let id = try #require(DeviceID(rawValue: try session.testDevice.id))
        try await fixture.administration.devices.setEnabled(false, id, tenant: fixture.tenant)
        #expect(try await session.end().status == .ok)
        try await fixture.administration.devices.remove(id, tenant: fixture.tenant)
        #expect(try await session.end().errorNumber == 50155)
    }
}
