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

@Suite struct RedeemPrimaryRefreshTokenTests {
    @Test func `a primary refresh token yields an app's tokens, bound to device and session`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session()
        #expect(session.reply.token.exposed.contains("."))
        #expect(try session.reply.identity.string(ClaimName.name) == "Amara Okafor")
        #expect(try session.reply.identity.string(ClaimName.preferredUsername) == "amara@contoso.test")
        #expect(session.reply.clientInfo.homeAccountID == "\(fixture.amara.id).\(fixture.tenant.id)")

        let tokens = try await session.tokens()
        let published = try await fixture.client.get("/\(fixture.tenant.id)/discovery/v2.0/keys")
        let keys = try JSONWebKeySet(decoding: published.body)
        let token = try CompactJWS(try tokens.string(ReplyName.accessToken))
        let key = try #require(keys[token.keyID ?? ""])
        try token.verify(with: try key.verificationKey())
        let claims = try token.claims()
        #expect(try claims.string(ClaimName.deviceID) == testDevice.id)
        #expect(try claims.string(ClaimName.sessionID) == session.reply.sessionID)
        #expect(try claims.string(ClaimName.objectID) == fixture.amara.id.rawValue)
        #expect(try claims.string(ClaimName.appID) == fixture.app.id.rawValue)
        #expect(try claims.integer(ClaimName.expiresAt) - claims.integer(ClaimName.issuedAt) == 600)
        #expect(try tokens.integer(ReplyName.expiresIn) == 600)
        #expect(tokens[ReplyName.refreshToken] == nil)
        #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .ok)
    }

    @Test func `a person's own device gets tokens with the usual lifetime`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture, isShared: false)
        #expect(try await testDevice.session().tokens().integer(ReplyName.expiresIn) == 3600)
    }

    @Test func `the app gets the same refresh token each time, until the session ends`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let scopes = ["openid", "offline_access", "User.Read"]
        let first = try await session.tokens(scopes: scopes).string(ReplyName.refreshToken)
        #expect(try await session.tokens(scopes: scopes).string(ReplyName.refreshToken) == first)
        let refreshed = try await fixture.refresh(first)
        #expect(refreshed.status == .ok)
        let claims = try CompactJWS(try refreshed.json.string(ReplyName.accessToken)).claims()
        #expect(try claims.string(ClaimName.deviceID) == session.testDevice.id)
        #expect(try await session.end().status == .ok)
        #expect(try await fixture.refresh(first).errorNumber == 70000)
    }

    @Test func `a wrong session key, a changed payload and an invented token are refused`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        var generator = SystemRandomNumberGenerator()
        let foreign = try await session.useRequest(key: .random(using: &generator))
        let refused = try await session.testDevice.send(PrimaryRefreshToken.form(request: foreign))
        #expect(refused.errorNumber == 50013)

        let good = try await session.useRequest()
        var segments = good.split(separator: ".").map(String.init)
        let payload = String(decoding: try Base64URL.decode(segments[1]), as: UTF8.self)
        let changed = payload.replacing("User.Read", with: "User.Rea2")
        #expect(changed != payload)
        segments[1] = Base64URL.encode(Array(changed.utf8))
        let tampered = try await session.testDevice.send(
            PrimaryRefreshToken.form(request: segments.joined(separator: ".")))
        #expect(tampered.errorNumber == 50013)

        let invented = OpaqueToken(tenant: fixture.tenant.id, environment: .system).text.exposed
        let request = PrimaryRefreshToken.UseRequest(
            token: Sensitive(invented), clientID: fixture.app.id.rawValue, redirectURI: nil,
            scopes: Scopes(["User.Read"]), nonce: try await session.testDevice.nonce())
        let unknown = try await session.testDevice.send(
            PrimaryRefreshToken.form(
                request: try request.signed(with: session.key, now: 0, using: &generator)))
        #expect(unknown.errorNumber == 70000)
        #expect(unknown.suberror == Suberror.badToken)
    }

    @Test func `a nonce is valid for five minutes, and each request is accepted once`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let request = try await session.useRequest()
        #expect(try await session.testDevice.send(PrimaryRefreshToken.form(request: request)).status == .ok)
        let replayed = try await session.testDevice.send(PrimaryRefreshToken.form(request: request))
        #expect(replayed.status == .badRequest)
        #expect(replayed.suberror == Suberror.replayedRequest)

        let nonce = try await session.testDevice.nonce()
        for _ in 0..<2 {
            // Some clients use the same nonce in two different requests.
            let request = try await session.useRequest(nonce: nonce)
            #expect(try await session.testDevice.send(PrimaryRefreshToken.form(request: request)).status == .ok)
        }
        fixture.clock.advance(by: .seconds(299))
        let young = try await session.useRequest(nonce: nonce)
        #expect(try await session.testDevice.send(PrimaryRefreshToken.form(request: young)).status == .ok)
        fixture.clock.advance(by: .seconds(1))
        for stale in [nonce, "", "x", String(repeating: "A", count: 43)] {
            let request = try await session.useRequest(nonce: stale)
            let answer = try await session.testDevice.send(PrimaryRefreshToken.form(request: request))
            #expect(answer.suberror == Suberror.staleNonce)
        }
    }

    @Test func `a reply contains the nonce for the next request, which is checked like any other`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let name = try #require(HTTPField.Name(PrimaryRefreshToken.nonceHeader))
        func send(_ nonce: String?) async throws -> TestResponse {
            try await session.testDevice.send(
                PrimaryRefreshToken.form(request: try await session.useRequest(nonce: nonce)))
        }
        let first = try await send(nil)
        let nonce = try #require(first.headers[name])
        let second = try await send(nonce)
        #expect(second.status == .ok)
        #expect(second.headers[name] != nonce)
        fixture.clock.advance(by: .seconds(300))
        let late = try await send(second.headers[name])
        #expect(late.suberror == Suberror.staleNonce)
        #expect(late.headers[name] == nil)
        // The reply to an unsigned request has no nonce header.
        let challenge = try await fixture.client.send(
            .post, EndpointPath.token(tenant: "common"), body: PrimaryRefreshToken.nonceForm.encoded)
        #expect(challenge.status == .ok && challenge.headers[name] == nil)
    }

    @Test func `a restarted server keeps the token, but no nonce`() async throws {
        // The nodes of a shared database accept each other's nonces.
        let database = try await SQLiteDatabase(inMemoryWith: IdentitySchema.migrations)
        let fixture = try await TestPlatform(over: { _ in database })
        let session = try await TestDevice.joined(fixture).session()
        let old = try await session.testDevice.nonce()
        let restarted = try await fixture.restarted()
        let stale = try await session.useRequest(nonce: old)
        let refused = try await restarted.client.send(
            .post, EndpointPath.token(tenant: "common"), body: PrimaryRefreshToken.form(request: stale).encoded)
        #expect(refused.suberror == Suberror.staleNonce)
        let fresh = try await session.useRequest(nonce: try await TestDevice(restarted).nonce())
        let answer = try await restarted.client.send(
            .post, EndpointPath.token(tenant: "common"), body: PrimaryRefreshToken.form(request: fresh).encoded)
        #expect(answer.status == .ok)
    }

    @Test func `a server does not start with a storage key other than the database's`() async throws {
        let fixture = try await TestPlatform()
        await #expect(throws: StorageKey.Failure.doesNotOpen) { try await fixture.restarted(storageKey: 8) }
        _ = try await fixture.restarted()
    }

    @Test func `after its session key was changed or copied in the database, the worker must sign in again`()
        async throws
    {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        try await fixture.platform.database.write { connection in
            let other: [UInt8] = Array(repeating: 0, count: 60)
            try connection.execute("UPDATE primaryRefreshToken SET sealedSessionKey = \(other)")
        }
        #expect(try await session.use().errorNumber == 70000)
    }

    @Test func `a primary refresh token cannot be renewed with its own refresh tokens, and ends with its session`()
        async throws
    {
        let fixture = try await TestPlatform { $0.lifetimes.refreshToken = .seconds(20 * 86400) }
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session()
        let request = try await session.useRequest(
            scopes: ["openid", "offline_access"], redirectURI: "http://localhost", clientID: WellKnownApplication.broker
        )
        let answer = try await testDevice.send(PrimaryRefreshToken.form(request: request))
        let tokens = try Members(decoding: try EncryptedReply.open(answer.text, with: session.key))
        let derived = try tokens.string(ReplyName.refreshToken)
        #expect(try await testDevice.issue(derived).errorNumber == 70000)

        // The broker gets three refresh tokens from one sign-in. Each is accepted as proof once.
        let browser = Browser(fixture)
        var proofs: [String] = []
        let query = AuthorizeQuery(
            fixture, ["client_id": WellKnownApplication.broker, "scope": "openid offline_access", "prompt": "consent"])
        let page = try await browser.submit(
            try await browser.get(query.path), username: "amara@contoso.test", password: TestPlatform.password)
        for _ in 0..<3 {
            let code = try await browser.confirm(page, choice: "yes").returned()[ParameterName.code]
            let reply = try await fixture.redeem(code, ["client_id": WellKnownApplication.broker])
            proofs.append(try reply.json.string(ReplyName.refreshToken))
        }
        #expect(try await testDevice.issue(proofs[0], counter: 2).status == .ok)
        fixture.clock.advance(by: .seconds(10 * 86400))
        let later = try await testDevice.issue(proofs[1], counter: 2)
        let reply = try PrimaryRefreshToken.IssueReply(decoding: later.body)
        #expect(reply.expiresIn == 4 * 86400)
        fixture.clock.advance(by: .seconds(4 * 86400))
        #expect(try await testDevice.issue(proofs[2], counter: 2).errorNumber == 70008)
    }

    @Test func `the older key derivation is refused unless the operator allows it`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        var generator = SystemRandomNumberGenerator()
        let payload = try CompactJWS(try await session.useRequest()).rawPayload
        let request = try SessionSignedRequest.sign(
            payload: payload, with: session.key, version: .one, using: &generator)
        let form = PrimaryRefreshToken.form(request: request)
        #expect(try await session.testDevice.send(form).errorNumber == 50013)
        var configuration = fixture.platform.configuration
        configuration.compatibility.keyDerivationVersionOne = true
        let lenient = try await fixture.restarted(configuration: configuration)
        let again = try SessionSignedRequest.sign(
            payload: try CompactJWS(
                try await session.useRequest(nonce: try await TestDevice(lenient).nonce())
            ).rawPayload, with: session.key, version: .one, using: &generator)
        let answer = try await lenient.client.send(
            .post, EndpointPath.token(tenant: "common"), body: PrimaryRefreshToken.form(request: again).encoded)
        #expect(answer.status == .ok)
    }

    @Test func `an app gets only the permissions that it is registered for`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        func number(_ request: String) async throws -> Int? {
            try await session.testDevice.send(PrimaryRefreshToken.form(request: request)).errorNumber
        }
        #expect(try await number(try await session.useRequest(redirectURI: "https://evil.test/")) == 50011)
        let unknown = try await session.useRequest(clientID: "0af3c2b1-0000-4000-8000-000000000001")
        #expect(try await number(unknown) == 700016)
        let registration = try await session.useRequest(scopes: ["urn:ms-drs:drs.test/.default"])
        #expect(try await number(registration) == 65001)
        // The device's command line cannot get such a token either, because every process in the session can act in the
        // command line's name.
        let line = try await session.useRequest(
            scopes: ["urn:ms-drs:drs.test/.default"], redirectURI: CommandLineApp.redirectURI,
            clientID: CommandLineApp.clientID)
        #expect(try await number(line) == 65001)
        let graph = try await session.useRequest(
            redirectURI: CommandLineApp.redirectURI, clientID: CommandLineApp.clientID)
        #expect(try await number(graph) == nil)
        #expect(try await number(try await session.useRequest(scopes: ["openid", "aza"])) == 700016)
    }

    @Test(arguments: ["", "x", "a.b.c", "e30.e30.AA", "eyJhbGciOiJIUzI1NiJ9.e30.AA", "eyJhbGciOiJSUzI1NiJ9.e30.AA"])
    func `a malformed request is refused with a specific error`(text: String) async throws {
        let fixture = try await TestPlatform()
        let answer = try await TestDevice(fixture).send(PrimaryRefreshToken.form(request: text))
        #expect(answer.status == .badRequest)
        #expect(answer.errorNumber == (text.isEmpty ? 900144 : 9002313))
    }

    @Test func `a disabled or removed device is refused at once, with all of its tokens`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let id = try #require(DeviceID(rawValue: try session.testDevice.id))
        let access = try await session.tokens().string(ReplyName.accessToken)
        try await fixture.administration.devices.setEnabled(false, id, tenant: fixture.tenant)
        #expect(try await session.use().errorNumber == 70000)
        #expect(try await session.testDevice.issue(session.brokerRefreshToken, counter: 2).errorNumber == 135011)
        #expect(try await fixture.me(access).status == .unauthorized)
        try await fixture.administration.devices.setEnabled(true, id, tenant: fixture.tenant)
        #expect(try await session.use().errorNumber == 70000)
        let again = try await session.testDevice.session(counter: 2)
        try await fixture.administration.devices.remove(id, tenant: fixture.tenant)
        #expect(try await again.use().errorNumber == 70000)
        let refused = try await session.testDevice.issue(again.brokerRefreshToken, counter: 3)
        #expect(refused.errorNumber == 50155)
        #expect(refused.suberror == Suberror.deviceAuthenticationFailed)
    }
}
