// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

@Suite struct BrowserSignOnTests {
    private enum Carrier: CaseIterable { case header, cookie }

    private func open(
        _ fixture: TestPlatform, _ credential: String, _ carrier: Carrier = .header, _ changes: [String: String?] = [:],
        device: String? = nil, browser: Browser? = nil
    ) async throws -> TestResponse {
        var headers: HTTPFields = [:]
        switch carrier {
        case .header: headers[try #require(HTTPField.Name("x-ms-refreshtokencredential"))] = credential
        case .cookie:
            let others = browser?.cookies.map { "; \($0.key)=\($0.value)" }.joined() ?? ""
            headers[.cookie] = "x-ms-RefreshTokenCredential=\(credential)\(others)"
        }
        if let device { headers[try #require(HTTPField.Name("x-ms-DeviceCredential"))] = device }
        let browser = browser ?? Browser(fixture)
        return try await browser.get(AuthorizeQuery(fixture, changes).path, headers)
    }

    /// Returns the nonce that a browser gets if its credential has an old nonce.
    private func offered(
        _ browser: Browser, _ session: TestDeviceSession, _ carrier: Carrier = .header
    ) async throws -> String {
        let old = try await session.credential(nonce: "old")
        let answer = try await open(browser.fixture, old, carrier, browser: browser)
        return try #require(try answer.returned()[ParameterName.ssoNonce])
    }

    @Test func `a credential that was planted in another browser as a cookie signs nobody in`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session("bo@contoso.test")
        let victim = Browser(fixture)
        // The nonce is fresh: it would be accepted from a client that can add a header.
        let sent = try await open(fixture, try await session.credential(), .cookie, browser: victim)
        #expect(try sent.returned()[ParameterName.code] == nil)
        // The owner's own browser gets a nonce that differs from the victim's.
        let own = Browser(fixture)
        let nonce = try await offered(own, session, .cookie)
        for carrier in Carrier.allCases {
            let planted = try await open(fixture, try await session.credential(nonce: nonce), carrier, browser: victim)
            let code = planted.headers[.location] == nil ? nil : try planted.returned()[ParameterName.code]
            #expect(code == nil)
        }
        let good = try await open(fixture, try await session.credential(nonce: nonce), .cookie, browser: own)
        #expect(try good.returned()[ParameterName.code] != nil)
        #expect(victim.cookies["__Host-baton-session"] == nil)
    }

    @Test func `a browser's nonce is valid for nothing else`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let nonce = try await offered(Browser(fixture), session)
        let request = try await session.useRequest(nonce: nonce)
        #expect(
            try await session.testDevice.send(PrimaryRefreshToken.form(request: request)).suberror
                == Suberror.staleNonce)
        #expect(try await session.end(nonce: nonce).suberror == Suberror.staleNonce)
        // A browser that keeps no cookies is not redirected in a loop.
        let again = try await open(
            fixture, try await session.credential(nonce: nonce), .header, ["sso_nonce": nonce])
        #expect(again.hidden("csrf") != nil)
    }

    @Test func `a request for tokens is not accepted as a browser credential, nor the reverse`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        for request in [try await session.useRequest(), try await session.renewal()] {
            #expect(try await open(fixture, request).hidden("csrf") != nil)
        }
        let credential = try await session.credential()
        let answer = try await session.testDevice.send(PrimaryRefreshToken.form(request: credential))
        #expect(answer.errorNumber == 9_002_313)
        // A request that has the claims of a token request and those of a browser credential is accepted as neither.
        var generator = SystemRandomNumberGenerator()
        var both = MembersWriter()
        both.set(ClaimName.grantType, GrantType.refreshToken.rawValue)
        both.set(ClaimName.refreshToken, session.token.exposed)
        both.set(ClaimName.isPrimary, "true")
        both.set(ClaimName.clientID, fixture.app.id.rawValue)
        both.set(ClaimName.scope, "openid User.Read")
        both.set(ClaimName.requestNonce, try await session.testDevice.nonce())
        let signed = try SessionSignedRequest.sign(payload: both.bytes, with: session.key, using: &generator)
        #expect(try await session.testDevice.send(PrimaryRefreshToken.form(request: signed)).errorNumber == 9_002_313)
        #expect(try await open(fixture, signed).hidden("csrf") != nil)
    }

    @Test func `a browser that posts its request is redirected to GET, where its credential counts`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let header = try #require(HTTPField.Name("x-ms-RefreshTokenCredential"))
        let query = String(AuthorizeQuery(fixture).path.split(separator: "?")[1])
        let answer = try await fixture.client.send(
            .post, "/\(fixture.tenant.id)/oauth2/v2.0/authorize", headers: [header: try await session.credential()],
            body: query)
        #expect(answer.status == .seeOther)
        let address = try #require(answer.headers[.location])
        let good = try await fixture.client.get(address, headers: [header: try await session.credential()])
        #expect(try good.returned()[ParameterName.code] != nil)
    }

    @Test func `a browser on the device is signed in by the device's token, as header and as cookie`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        for carrier in Carrier.allCases {
            let browser = Browser(fixture)
            let nonce = carrier == .header ? nil : try await offered(browser, session, carrier)
            let answer = try await open(fixture, try await session.credential(nonce: nonce), carrier, browser: browser)
            #expect(answer.status == .found, "\(answer.text)")
            // One known client reads the link in the page instead of the header.
            #expect(answer.attribute("href", of: "<a") == answer.headers[.location])
            let reply = try await fixture.redeem(try answer.returned()[ParameterName.code]).json
            let claims = try CompactJWS(try reply.string(ReplyName.accessToken)).claims()
            #expect(try claims.string(ClaimName.deviceID) == session.testDevice.id)
            #expect(try claims.string(ClaimName.sessionID) == session.reply.sessionID)
            #expect(try claims.string(ClaimName.objectID) == fixture.amara.id.rawValue)
        }
        #expect(try await session.end().status == .ok)
        #expect(try await open(fixture, try await session.credential()).status == .ok)
    }

    @Test func `an invalid credential is ignored`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let other = try await TestDevice.joined(fixture, number: 1).session("bo@contoso.test")
        let used = try await session.credential()
        #expect(try await open(fixture, used).status == .found)
        let renewedAway = try await session.credential()
        let good = try await session.renewed().session
        let foreign = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        var bad = [
            "", "x", "a.b.c", used, renewedAway, try await good.credential(key: other.key),
            try good.olderRequest(
                #"{"refresh_token":"\#(good.token.exposed)","request_nonce":"\#(try await good.testDevice.nonce())"}"#),
        ]
        var segments = try await good.credential().split(separator: ".").map(String.init)
        segments[1] = try await other.credential().split(separator: ".").map(String.init)[1]
        bad.append(segments.joined(separator: "."))
        for credential in bad {
            let answer = try await open(fixture, credential)
            #expect(answer.status == .ok)
            #expect(answer.hidden("csrf") != nil)
        }
        var query = AuthorizeQuery(fixture, ["client_id": WellKnownApplication.broker])
        query.tenant = foreign.id.rawValue
        let header = try #require(HTTPField.Name("x-ms-RefreshTokenCredential"))
        let elsewhere = try await fixture.client.get(query.path, headers: [header: try await good.credential()])
        #expect(elsewhere.status == .ok)
        let silent = try await open(fixture, used, .header, ["prompt": "none"])
        #expect(try silent.returned()[ParameterName.error] == "login_required")
        #expect(try await open(fixture, try await good.credential(), .header, ["prompt": "none"]).status == .found)
    }

    @Test func `a credential with an old nonce causes one redirect, with a fresh nonce`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let old = try await session.testDevice.nonce()
        fixture.clock.advance(by: .seconds(300))
        let browser = Browser(fixture)
        let answer = try await open(
            fixture, try await session.credential(nonce: old), .header, ["sso_nonce": old, "state": "a b"],
            browser: browser)
        #expect(answer.status == .found)
        let location = try #require(answer.headers[.location])
        #expect(location.hasPrefix("/\(fixture.tenant.id)/oauth2/v2.0/authorize?"))
        let returned = try answer.returned()
        #expect(returned[ParameterName.state] == "a b")
        let nonce = try #require(returned[ParameterName.ssoNonce])
        let again = try await open(
            fixture, try await session.credential(nonce: old), .header, ["sso_nonce": nonce], browser: browser)
        #expect(again.hidden("csrf") != nil)
        let good = try await open(
            fixture, try await session.credential(nonce: nonce), .header, ["sso_nonce": nonce], browser: browser)
        #expect(try good.returned()[ParameterName.code] != nil)
    }

    @Test func `the device may also sign, and must then be the token's device`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let other = try await TestDevice.joined(fixture, number: 1)
        func word(_ testDevice: TestDevice, nonce: String, grant: String = "device_auth") throws -> String {
            var payload = MembersWriter()
            payload.set(ClaimName.grantType, grant)
            payload.set(ClaimName.issuer, "aad:brokerplugin")
            payload.set(ClaimName.requestNonce, nonce)
            return try TokenSigner(key: .rsa(testDevice.deviceKey), certificate: testDevice.certificate)
                .token(payload: payload.bytes)
        }
        // The only known client that sends a device credential uses one nonce for both the device credential and the
        // browser credential.
        let nonce = try await session.testDevice.nonce()
        let credential = try await session.credential(nonce: nonce)
        let good = try await open(fixture, credential, device: try word(session.testDevice, nonce: nonce))
        #expect(good.status == .found)
        let wrong = try await open(
            fixture, try await session.credential(nonce: nonce), device: try word(other, nonce: nonce))
        #expect(wrong.hidden("csrf") != nil)
        #expect(try await open(fixture, try await session.credential(), device: "x").hidden("csrf") != nil)
        // A request of a different type is refused, although the device has signed it.
        let another = try await session.testDevice.nonce()
        let request = try word(session.testDevice, nonce: another, grant: "device_token")
        let refused = try await open(fixture, try await session.credential(nonce: another), device: request)
        #expect(refused.hidden("csrf") != nil)
    }

    @Test func `the worker on the device takes precedence over the account that the browser remembers`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture), username: "bo@contoso.test")
        let header = try #require(HTTPField.Name("x-ms-RefreshTokenCredential"))
        let cookies = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let answer = try await fixture.client.get(
            AuthorizeQuery(fixture).path, headers: [.cookie: cookies, header: try await session.credential()])
        let reply = try await fixture.redeem(try answer.returned()[ParameterName.code]).json
        let claims = try CompactJWS(try reply.string(ReplyName.accessToken)).claims()
        #expect(try claims.string(ClaimName.objectID) == fixture.amara.id.rawValue)
    }
}
