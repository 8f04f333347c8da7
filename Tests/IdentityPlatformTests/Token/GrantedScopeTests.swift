// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import TestSupport
import Testing

/// A client may get fewer scopes than it requested; the reply lists the granted scopes (RFC 6749 section 3.3).
@Suite struct GrantedScopeTests {
    @Test(arguments: [
        (["openid", "User.Read", "Mail.Read"], "openid User.Read", "User.Read openid"),
        (["Calendars.Read", "user.read"], "user.read", "User.Read"),
        (
            ["https://graph.test/User.Read", "https://graph.test/Mail.Send"], "https://graph.test/User.Read",
            "User.Read"
        ),
        (["openid", "https://graph.test/.default"], "openid https://graph.test/.default", "User.Read openid"),
    ])
    func `INT-9 only the existing ones of the requested permissions are granted, and the reply names them`(
        asked: [String], granted: String, permissions: String
    ) async throws {
        let tokens = try await TestDevice.joined(try await TestPlatform()).session().tokens(scopes: asked)
        #expect(try tokens.string(ReplyName.scope) == granted)
        let claims = try CompactJWS(try tokens.string(ReplyName.accessToken)).claims()
        #expect(try claims.string(ClaimName.scopes) == permissions)
    }

    @Test func `if none of the requested permissions exists, nothing is granted`() async throws {
        let session = try await TestDevice.joined(try await TestPlatform()).session()
        #expect(try await session.use(scopes: ["openid", "Mail.Read", "Mail.Send"]).errorNumber == 70011)
    }
}
