// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

/// Tests tokens for the device itself, and the worker's own key as proof for a primary refresh token.
@Suite struct DeviceTokenTests {
    private func form(
        _ testDevice: TestDevice, resource: String? = "https://graph.microsoft.com", clientID: String? = nil,
        redirectURI: String? = "msauth.test://auth", key: _RSA.Signing.PrivateKey? = nil, nonce: String? = nil
    ) async throws -> FormParameters {
        let fresh = try await testDevice.nonce()
        return try DeviceTokenGrantRequest(
            clientID: clientID ?? testDevice.fixture.app.id.rawValue, redirectURI: redirectURI, scopes: Scopes([]),
            resource: resource, nonce: nonce ?? fresh
        ).form(
            signedWith: .rsa(key ?? testDevice.deviceKey), certificate: testDevice.certificate,
            audience: "https://login.test:8443\(EndpointPath.token(tenant: testDevice.fixture.tenant.id.rawValue))")
    }

    @Test func `a device gets its own token, which names no person`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let answer = try await testDevice.send(try await form(testDevice))
        #expect(answer.status == .ok, "\(answer.text)")
        let reply = try answer.json
        #expect(reply[ReplyName.refreshToken] == nil && reply[ReplyName.idToken] == nil)
        #expect(try reply.string(ReplyName.expiresIn) == "600")
        let token = try reply.string(ReplyName.accessToken)
        let claims = try CompactJWS(token).claims()
        #expect(try claims.string(ClaimName.deviceID) == testDevice.id)
        #expect(try claims.string(ClaimName.appID) == fixture.app.id.rawValue)
        #expect(try claims.string(ClaimName.audience) == "https://graph.microsoft.com")
        #expect(try claims.string(ClaimName.identityType) == "device")
        let published = try await fixture.client.get("/\(fixture.tenant.id)/discovery/v2.0/keys")
        let keys = try JSONWebKeySet(decoding: published.body)
        try CompactJWS(token).verify(with: try #require(keys[CompactJWS(token).keyID ?? ""]).verificationKey())
        for name in [ClaimName.userPrincipalName, .preferredUsername, .name, .sessionID, .scopes, .directoryRoles] {
            #expect(claims[name] == nil, "\(name)")
        }
        // The token gives no access to a person's data.
        #expect(try await fixture.me(token).status == .unauthorized)
    }

    @Test func `a device token is issued once, to an enabled device, for a known app and resource`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        func number(_ form: FormParameters) async throws -> Int? { try await testDevice.send(form).errorNumber }
        #expect(try await number(try await form(testDevice, resource: nil)) == 900144)
        #expect(try await number(try await form(testDevice, resource: "https://nowhere.test")) == 500011)
        #expect(
            try await number(try await form(testDevice, clientID: "0af3c2b1-0000-4000-8000-000000000001")) == 700016)
        #expect(try await number(try await form(testDevice, redirectURI: "https://evil.test/")) == 50011)
        let other = try TestDevice(fixture, number: 1)
        #expect(try await number(try await form(testDevice, key: other.deviceKey)) == 50013)
        #expect(try await number(try await form(testDevice, nonce: "made up")) == 5_000_611)
        let twice = try await form(testDevice)
        #expect(try await number(twice) == nil)
        #expect(try await number(twice) == 5_000_612)
        let id = try #require(DeviceID(rawValue: try testDevice.id))
        try await fixture.administration.devices.setEnabled(false, id, tenant: fixture.tenant)
        #expect(try await number(try await form(testDevice)) == 135011)
        try await fixture.administration.devices.remove(id, tenant: fixture.tenant)
        #expect(try await number(try await form(testDevice)) == 50155)
    }

    @Test func `a device with an elliptic-curve transport key is told that it gets no session key`() async throws {
        let fixture = try await TestPlatform()
        var testDevice = try TestDevice(fixture)
        let (device, transport) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let answer = try await testDevice.join(
            try await fixture.registrationToken("amara@contoso.test"),
            body: try CurveJoin(device: device, transport: transport).body, version: "?api-version=3.0")
        testDevice.certificate = try JoinReply(decoding: answer.body).certificate
        let refresh = try await fixture.brokerTokens().string(ReplyName.refreshToken)
        let request = PrimaryRefreshToken.IssueRequest(
            nonce: try await testDevice.nonce(), proof: .refreshToken(Sensitive(refresh)), epoch: nil)
        let refused = try await testDevice.send(
            PrimaryRefreshToken.form(
                request: try request.signed(with: .p256(device), certificate: testDevice.certificate)))
        #expect(refused.errorNumber == 5_000_618)
        let token = DeviceTokenGrantRequest(
            clientID: fixture.app.id.rawValue, redirectURI: nil, scopes: Scopes([]),
            resource: "https://graph.microsoft.com", nonce: try await testDevice.nonce())
        let form = try token.form(signedWith: .p256(device), certificate: testDevice.certificate, audience: "x")
        #expect(try await testDevice.send(form).status == .ok)
    }

    // MARK: - A worker's own key

    private struct Own {
        let key: _RSA.Signing.PrivateKey
        let blob: [UInt8]

        init() throws {
            key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            let numbers = try key.publicKey.getKeyPrimitives()
            blob = RSAPublicKeyBlob.encode(
                modulus: Array(numbers.modulus), exponent: Array(numbers.publicExponent))
        }

        func assertion(_ testDevice: TestDevice, name: String = "amara@contoso.test", nonce: String? = nil) async throws
            -> String
        {
            let fresh = try await testDevice.nonce()
            let now = Int(testDevice.fixture.clock.now.seconds)
            func part(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
            let kid = Base64.encode(SHA256.hash(data: blob))
            let input =
                part(#"{"alg":"RS256","typ":"JWT","kid":"\#(kid)","use":"ngc"}"#) + "."
                + part(
                    #"{"iss":"\#(name)","aud":"common","iat":\#(now - 3600),"exp":"\#(now + 3600)","#
                        + #""request_nonce":"\#(nonce ?? fresh)","scope":"openid aza ugs"}"#)
            let signature = try key.signature(for: Data(input.utf8), padding: .insecurePKCS1v1_5)
            return input + "." + Base64URL.encode(signature.rawRepresentation)
        }
    }

    private func register(_ own: Own, _ fixture: TestPlatform, token: String) async throws -> TestResponse {
        try await fixture.client.send(
            .post, EndpointPath.helloKey + "?api-version=1.0", host: "drs.test:8443",
            headers: [.authorization: "Bearer \(token)"], body: #"{"kngc":"\#(Base64.encode(own.blob))"}"#)
    }

    private func issue(_ testDevice: TestDevice, _ assertion: String) async throws -> TestResponse {
        let request = PrimaryRefreshToken.IssueRequest(
            nonce: try await testDevice.nonce(), proof: .helloKey(assertion: Sensitive(assertion)), epoch: nil)
        return try await testDevice.send(
            PrimaryRefreshToken.form(
                request: try request.signed(with: .rsa(testDevice.deviceKey), certificate: testDevice.certificate)))
    }

    /// Returns a token for device registration, from a session on the test device.
    private func registrationToken(_ session: TestDeviceSession) async throws -> String {
        let request = try await session.useRequest(
            scopes: ["openid", "urn:ms-drs:drs.test/.default"], redirectURI: nil,
            clientID: WellKnownApplication.broker)
        let answer = try await session.testDevice.send(PrimaryRefreshToken.form(request: request))
        return try Members(decoding: try EncryptedReply.open(answer.text, with: session.key))
            .string(ReplyName.accessToken)
    }

    @Test func `a worker's own key signs them in on that device until their password changes`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture, isShared: false)
        let own = try Own()
        let registered = try await register(
            own, fixture, token: try await registrationToken(try await testDevice.session()))
        #expect(registered.status == .ok, "\(registered.text)")
        let answer = try await issue(testDevice, try await own.assertion(testDevice))
        #expect(answer.status == .ok, "\(answer.text)")
        let reply = try PrimaryRefreshToken.IssueReply(decoding: answer.body)
        #expect(try reply.identity.string(ClaimName.objectID) == fixture.amara.id.rawValue)
        #expect(try reply.identity.strings(ClaimName.authenticationMethods) == ["swk"])

        #expect(
            try await issue(testDevice, try await own.assertion(testDevice, name: "bo@contoso.test")).errorNumber
                == 135004)
        #expect(try await issue(testDevice, try await Own().assertion(testDevice)).errorNumber == 135004)
        #expect(try await issue(testDevice, try await own.assertion(testDevice, nonce: "old")).errorNumber == 5_000_611)
        let twice = try await own.assertion(testDevice)
        #expect(try await issue(testDevice, twice).status == .ok)
        #expect(try await issue(testDevice, twice).errorNumber == 5_000_612)
        let late = try await own.assertion(testDevice)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await issue(testDevice, late).errorNumber == 135004)
        let neighbour = try await TestDevice.joined(fixture, number: 1, isShared: false)
        #expect(try await issue(neighbour, try await own.assertion(neighbour)).errorNumber == 135004)

        try await fixture.administration.users.setPassword(Sensitive("another long password"), of: fixture.amara)
        #expect(try await issue(testDevice, try await own.assertion(testDevice)).errorNumber == 135004)
    }

    @Test func `no key can be registered on a shared device or without a device`() async throws {
        let fixture = try await TestPlatform()
        let own = try Own()
        let shared = try await TestDevice.joined(fixture).session()
        let refused = try await register(own, fixture, token: try await registrationToken(shared))
        #expect(refused.registrationCode == "authorization_failed")
        let loose = try await register(own, fixture, token: try await fixture.registrationToken("amara@contoso.test"))
        #expect(loose.registrationCode == "authorization_failed")
        let mine = try await TestDevice.joined(fixture, number: 1, isShared: false).session("bo@contoso.test")
        let token = try await registrationToken(mine)
        let bad = try await fixture.client.send(
            .post, EndpointPath.helloKey + "?api-version=1.0", host: "drs.test:8443",
            headers: [.authorization: "Bearer \(token)"], body: #"{"kngc":"AAAA"}"#)
        #expect(bad.registrationCode == "bad_request")
    }
}
