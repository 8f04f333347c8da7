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

@Suite struct RenewalTests {
    private let day = Duration.seconds(86400)

    @Test func `a renewal yields a new token with the same key, and the old token becomes invalid`() async throws {
        let fixture = try await TestPlatform()
        let first = try await TestDevice.joined(fixture).session()
        fixture.clock.advance(by: .seconds(4 * 3600))
        let (second, expiresIn) = try await first.renewed()
        #expect(second.token.exposed != first.token.exposed)
        #expect(expiresIn == 14 * 86400)
        #expect(try await first.use().errorNumber == 70000)
        let claims = try CompactJWS(try await second.tokens().string(ReplyName.accessToken)).claims()
        #expect(try claims.string(ClaimName.sessionID) == first.reply.sessionID)
        #expect(try await second.renewed().session.use().status == .ok)
    }

    @Test func `the reply to a renewal contains no key and names the person`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let answer = try await session.renew()
        let reply = try Members(decoding: try EncryptedReply.open(answer.text, with: session.key))
        #expect(reply[ReplyName.sessionKey] == nil)
        #expect(reply[ReplyName.accessToken] == nil)
        #expect(try reply.string(ReplyName.expiresIn) == "\(14 * 86400)")
        let claims = try CompactJWS(try reply.string(ReplyName.idToken)).claims()
        #expect(try claims.string(ClaimName.preferredUsername) == "amara@contoso.test")
    }

    @Test func `a device that lost the reply gets exactly the same reply again for an hour`() async throws {
        let fixture = try await TestPlatform()
        let first = try await TestDevice.joined(fixture).session()
        let second = try await first.renewed().session
        fixture.clock.advance(by: .seconds(3599))
        #expect(try await first.renewed().session.token.exposed == second.token.exposed)
        #expect(try await second.use().status == .ok)
        // Once the device has used the new token, a further renewal with the old token counts as a replay.
        #expect(try await first.renew().errorNumber == 70000)
        #expect(try await second.use().errorNumber == 70000)
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(5, tenant: fixture.tenant.id) }
        #expect(lines.contains { $0.action == "prt.replay" && $0.subject == first.reply.sessionID })
        #expect(lines.contains { $0.action == "session.end" && $0.outcome == "replayed" })
    }

    @Test func `a second renewal after an hour ends the session, because two parties have the token`() async throws {
        let fixture = try await TestPlatform()
        let first = try await TestDevice.joined(fixture).session()
        let access = try await first.tokens().string(ReplyName.accessToken)
        let second = try await first.renewed().session
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await first.renew().errorNumber == 70000)
        #expect(try await second.use().errorNumber == 70000)
        #expect(try await fixture.me(access).status == .unauthorized)
    }

    @Test func `a token expires fourteen days after its renewal, and all tokens ninety days after the sign-in`()
        async throws
    {
        let fixture = try await TestPlatform()
        var session = try await TestDevice.joined(fixture, isShared: false).session()
        for _ in 1...6 {
            fixture.clock.advance(by: .seconds(14 * 86400 - 60))
            session = try await session.renewed().session
        }
        let (last, expiresIn) = try await session.renewed()
        #expect(expiresIn == 90 * 86400 - 6 * (14 * 86400 - 60))
        fixture.clock.advance(by: .seconds(Int64(expiresIn)))
        #expect(try await last.use().errorNumber == 70008)
        #expect(try await last.renew().errorNumber == 70008)
        let idle = try await TestDevice.joined(fixture, number: 1, isShared: false).session()
        fixture.clock.advance(by: .seconds(14 * 86400))
        #expect(try await idle.renew().errorNumber == 70008)
    }

    @Test func `only a broker can renew a token, with the session's key, while the session is live`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session()
        func number(_ request: String) async throws -> Int? {
            try await testDevice.send(PrimaryRefreshToken.form(request: request)).errorNumber
        }
        #expect(try await number(try await session.renewal(clientID: fixture.app.id.rawValue)) == 700016)
        let other = try await TestDevice.joined(fixture, number: 1).session("bo@contoso.test")
        #expect(try await number(try await session.renewal(key: other.key)) == 50013)
        #expect(try await session.end().status == .ok)
        #expect(try await number(try await session.renewal()) == 70000)
        #expect(try await other.renewed().session.use().status == .ok)
        try await fixture.administration.users.setEnabled(false, fixture.bo)
        #expect(try await other.renew().errorNumber == 70000)
    }

    @Test func `tokens of apps stay valid after a renewal, and end with the session`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture, isShared: false).session()
        let scopes = ["openid", "offline_access", "User.Read"]
        let refresh = try await session.tokens(scopes: scopes).string(ReplyName.refreshToken)
        let second = try await session.renewed().session
        let again = try await second.tokens(scopes: scopes).string(ReplyName.refreshToken)
        #expect(try await fixture.refresh(again).status == .ok)
        #expect(try await fixture.refresh(refresh).status == .ok || refresh == again)
        #expect(try await second.end().status == .ok)
        #expect(try await fixture.refresh(again).errorNumber == 70000)
    }

    // MARK: - Windows' dialect

    @Test func `Windows' requests get a refresh token without asking, and an unknown version is refused`()
        async throws
    {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let answer = try await session.sendAsWindows(try await session.useRequest())
        #expect(answer.status == .ok, "\(answer.text)")
        let tokens = try Members(decoding: try EncryptedReply.open(answer.text, with: session.key))
        #expect(try !tokens.string(ReplyName.refreshToken).isEmpty)
        for version in ["1.0", "3.0", "22", "x"] {
            let refused = try await session.sendAsWindows(try await session.useRequest(), version: version)
            #expect(refused.errorNumber == 5_000_617)
        }
        for field in ["", "&prt_protocol_version=4.0", "&prt_protocol_version=3.0&windows_api_version=2.2"] {
            let refused = try await fixture.client.send(
                .post, "/common/oauth2/token",
                body: "grant_type=\(GrantType.jwtBearer.rawValue)&request=\(try await session.useRequest())\(field)")
            #expect(refused.errorNumber == 5_000_617)
        }
    }

    @Test func `a client with the older key derivation gets the unauthenticated form, if the operator allows it`()
        async throws
    {
        let fixture = try await TestPlatform { $0.compatibility.keyDerivationVersionOne = true }
        let session = try await TestDevice.joined(fixture).session()
        let payload = String(decoding: try CompactJWS(try await session.useRequest()).rawPayload, as: UTF8.self)
        let windows = try await session.sendAsWindows(try session.olderRequest(payload))
        #expect(throws: JOSEFailure.unsupported) { try EncryptedReply.open(windows.text, with: session.key) }
        let reply = try Members(
            decoding: try EncryptedReply.openWithoutAuthentication(windows.text, with: session.key))
        #expect(try !reply.string(ReplyName.accessToken).isEmpty)
        let again = String(decoding: try CompactJWS(try await session.useRequest()).rawPayload, as: UTF8.self)
        let three = try await session.testDevice.send(
            PrimaryRefreshToken.form(request: try session.olderRequest(again)))
        _ = try EncryptedReply.open(three.text, with: session.key)
        // The response to a request of version 2 is never encrypted without authentication.
        let newer = try await session.sendAsWindows(try await session.useRequest())
        _ = try EncryptedReply.open(newer.text, with: session.key)
    }
}
