// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import TestSupport
import Testing

/// Every token that a shared device can get names the device and the session, and is valid for at most ten minutes.
@Suite struct DeviceBindingTests {
    @Test func `with every grant, a shared device's tokens name device and session and live ten minutes`()
        async throws
    {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session()
        #expect(try session.reply.identity.string(ClaimName.deviceID) == testDevice.id)
        #expect(try session.reply.identity.string(ClaimName.sessionID) == session.reply.sessionID)

        let scopes = ["openid", "profile", "offline_access", "User.Read"]
        let first = try await session.tokens(scopes: scopes)
        let ofApp = try await fixture.refresh(try first.string(ReplyName.refreshToken)).json
        for (name, reply) in [("PRT", first), ("app's refresh", ofApp)] {
            #expect(try reply.integer(ReplyName.expiresIn) == 600, "\(name)")
            for member in [ReplyName.accessToken, .idToken] {
                guard let token = try reply.optionalString(member) else { continue }
                let claims = try CompactJWS(token).claims()
                #expect(try claims.string(ClaimName.deviceID) == testDevice.id, "\(name) \(member)")
                #expect(try claims.string(ClaimName.sessionID) == session.reply.sessionID, "\(name) \(member)")
            }
            let access = try CompactJWS(reply.string(ReplyName.accessToken)).claims()
            #expect(try access.integer(ClaimName.expiresAt) - access.integer(ClaimName.issuedAt) == 600, "\(name)")
        }
    }

    @Test func `a token that an app kept fails at Graph once the server knows of the end`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let kept = try await session.tokens().string(ReplyName.accessToken)
        #expect(try await fixture.me(kept).status == .ok)
        try await fixture.administration.users.setEnabled(false, fixture.amara)
        #expect(try await fixture.me(kept).status == .unauthorized)
    }
}
