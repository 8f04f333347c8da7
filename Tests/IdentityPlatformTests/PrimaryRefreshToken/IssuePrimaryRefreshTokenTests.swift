// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

@Suite struct IssuePrimaryRefreshTokenTests {
    @Test func `another device's certificate, or another key, is refused`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        var thief = try await TestDevice.joined(fixture, number: 1)
        let refresh = try await fixture.brokerTokens().string(ReplyName.refreshToken)
        thief.certificate = testDevice.certificate
        let refused = try await thief.issue(refresh)
        #expect(refused.errorNumber == 50013)
        #expect(refused.suberror == Suberror.deviceAuthenticationFailed)
        thief.certificate[thief.certificate.count - 1] ^= 1
        #expect(try await thief.issue(refresh).errorNumber == 50155)
        thief.certificate = []
        #expect(try await thief.issue(refresh).errorNumber == 50155)
        #expect(try await testDevice.issue(refresh).status == .ok)
    }

    @Test func `a certificate of another organisation is refused`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        _ = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        let request = PrimaryRefreshToken.IssueRequest(
            nonce: try await testDevice.nonce(), proof: .refreshToken(Sensitive("x")), epoch: TestDevice.epoch(1))
        let form = PrimaryRefreshToken.form(
            request: try request.signed(with: .rsa(testDevice.deviceKey), certificate: testDevice.certificate))
        #expect(try await testDevice.send(form, tenant: "fabrikam.test").errorNumber == 50155)
        // If the address does not name an organisation, the organisation is taken from the certificate. Nothing else in
        // the certificate is trusted.
        #expect(try await testDevice.send(form, tenant: "common").errorNumber == 70000)
        let other = try TestDevice(fixture, number: 1)
        let forged = PrimaryRefreshToken.form(
            request: try request.signed(with: .rsa(other.deviceKey), certificate: [0x30, 0]))
        #expect(try await testDevice.send(forged, tenant: "common").errorNumber == 50059)
    }

    @Test func `an expired certificate is refused`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        fixture.clock.advance(by: .seconds(10 * 365 * 86400))
        let refresh = try await fixture.brokerTokens().string(ReplyName.refreshToken)
        #expect(try await testDevice.issue(refresh).errorNumber == 50155)
    }

    @Test func `an old nonce and a replayed request are refused`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let refresh = try await fixture.brokerTokens().string(ReplyName.refreshToken)
        let nonce = try await testDevice.nonce()
        let request = PrimaryRefreshToken.IssueRequest(
            nonce: nonce, proof: .refreshToken(Sensitive(refresh)), epoch: TestDevice.epoch(1))
        let form = PrimaryRefreshToken.form(
            request: try request.signed(with: .rsa(testDevice.deviceKey), certificate: testDevice.certificate))
        #expect(try await testDevice.send(form).status == .ok)
        #expect(try await testDevice.send(form).suberror == Suberror.replayedRequest)
        fixture.clock.advance(by: .seconds(300))
        #expect(try await testDevice.issue(refresh, nonce: nonce).suberror == Suberror.staleNonce)
    }

    @Test func `a lower epoch is refused, and so is another epoch with the same counter`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let first = try await testDevice.session(counter: 5)
        let refresh = try await fixture.brokerTokens("bo@contoso.test").string(ReplyName.refreshToken)
        let lower = try await testDevice.issue(refresh, counter: 4)
        #expect(lower.errorNumber == 5_000_613)
        #expect(lower.suberror == Suberror.staleEpoch)
        let other = PrimaryRefreshToken.IssueRequest(
            nonce: try await testDevice.nonce(), proof: .refreshToken(Sensitive(refresh)),
            epoch: DeviceEpoch(id: String(repeating: "f", count: 32), counter: 5))
        let form = PrimaryRefreshToken.form(
            request: try other.signed(with: .rsa(testDevice.deviceKey), certificate: testDevice.certificate))
        #expect(try await testDevice.send(form).suberror == Suberror.staleEpoch)
        #expect(try await first.use().status == .ok)
        #expect(try await testDevice.issue(first.brokerRefreshToken, counter: 5).status == .ok)
    }

    @Test func `a shared device gets the epoch of its primary refresh token`() async throws {
        let testDevice = try await TestDevice.joined(try await TestPlatform())
        for counter in [1, 2] {
            let session = try await testDevice.session(counter: counter)
            #expect(session.reply.epoch == TestDevice.epoch(counter))
        }
    }

    @Test func `a shared device must name its epoch`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let refresh = try await fixture.brokerTokens().string(ReplyName.refreshToken)
        let request = PrimaryRefreshToken.IssueRequest(
            nonce: try await testDevice.nonce(), proof: .refreshToken(Sensitive(refresh)), epoch: nil)
        let form = PrimaryRefreshToken.form(
            request: try request.signed(with: .rsa(testDevice.deviceKey), certificate: testDevice.certificate))
        #expect(try await testDevice.send(form).errorNumber == 900144)
    }

    @Test func `the next worker's token ends the former worker's session`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let amara = try await testDevice.session(counter: 1)
        let access = try await amara.tokens().string(ReplyName.accessToken)
        let bo = try await testDevice.session("bo@contoso.test", counter: 2)
        #expect(try await amara.use().errorNumber == 70000)
        #expect(try await fixture.me(access).status == .unauthorized)
        let broker = ["client_id": WellKnownApplication.broker]
        #expect(try await fixture.refresh(amara.brokerRefreshToken, broker).errorNumber == 70000)
        #expect(try await bo.use().status == .ok)
    }

    @Test func `a session belongs to one device`() async throws {
        let fixture = try await TestPlatform()
        let first = try await TestDevice.joined(fixture).session()
        let other = try await TestDevice.joined(fixture, number: 1)
        #expect(try await other.issue(first.brokerRefreshToken).errorNumber == 70000)
        #expect(try await first.use().status == .ok)
    }

    @Test func `an ordinary app gets no primary refresh token`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let app = try await fixture.signedIn().string(ReplyName.refreshToken)
        let refused = try await testDevice.issue(app, clientID: fixture.app.id.rawValue)
        #expect(refused.errorNumber == 700016)
        #expect(try await testDevice.issue(app).errorNumber == 70000)
        // A client that may use device registration does not get a primary refresh token; neither does the device's own
        // command line.
        let registrar = try await fixture.administration.clients.add(
            NewClient(
                displayName: "Registrar", redirectURIs: [],
                resources: [ResourceCatalogue.deviceRegistrationApplication]),
            tenant: fixture.tenant)
        #expect(try await testDevice.issue(app, clientID: registrar.id.rawValue).errorNumber == 700016)
        #expect(try await testDevice.issue(app, clientID: CommandLineApp.clientID).errorNumber == 700016)
        let broker = try await fixture.brokerTokens().string(ReplyName.refreshToken)
        #expect(try await testDevice.issue(broker, scopes: Scopes(["openid"])).errorNumber == 70011)
        fixture.clock.advance(by: .seconds(14 * 86400))
        #expect(try await testDevice.issue(broker).errorNumber == 70008)
    }

    @Test func `a password is accepted as proof only if the operator allows it`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        func form(_ fixture: TestPlatform, password: String) async throws -> FormParameters {
            let request = PrimaryRefreshToken.IssueRequest(
                nonce: try await TestDevice(fixture).nonce(),
                proof: .password(username: Sensitive("amara@contoso.test"), password: Sensitive(password)),
                epoch: TestDevice.epoch(1))
            return PrimaryRefreshToken.form(
                request: try request.signed(with: .rsa(testDevice.deviceKey), certificate: testDevice.certificate))
        }
        #expect(
            try await testDevice.send(try await form(fixture, password: TestPlatform.password)).errorNumber == 70003)
        var configuration = fixture.platform.configuration
        configuration.compatibility.passwordGrant = true
        let lenient = try await fixture.restarted(configuration: configuration)
        let path = EndpointPath.token(tenant: fixture.tenant.id.rawValue)
        let wrong = try await lenient.client.send(
            .post, path, body: try await form(lenient, password: "wrong password").encoded)
        #expect(wrong.errorNumber == 50126)
        let locked = lenient.from("192.0.2.9")
        for _ in 1...9 {
            _ = try await locked.client.send(.post, path, body: try await form(lenient, password: "wrong").encoded)
        }
        let refused = try await locked.client.send(
            .post, path, body: try await form(lenient, password: TestPlatform.password).encoded)
        #expect(refused.errorNumber == 50053)
        fixture.clock.advance(by: .seconds(300))
        let right = try await lenient.client.send(
            .post, path, body: try await form(lenient, password: TestPlatform.password).encoded)
        #expect(right.status == .ok)
        let reply = try PrimaryRefreshToken.IssueReply(decoding: right.body)
        #expect(try reply.identity.string(ClaimName.objectID) == fixture.amara.id.rawValue)
    }

    @Test func `the reply has the JSON types that foreign clients expect`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let answer = try await testDevice.issue(try await fixture.brokerTokens().string(ReplyName.refreshToken))
        let reply = try answer.json
        #expect(try reply.integer(ReplyName.refreshTokenExpiresIn) == 14 * 86400)
        for name in [ReplyName.expiresIn, .extendedExpiresIn, .expiresOn, .sessionKey, .idToken, .clientInfo] {
            #expect(try !reply.string(name).isEmpty)
        }
        #expect(try reply.string(ReplyName.idToken).hasSuffix("."))
    }
}
