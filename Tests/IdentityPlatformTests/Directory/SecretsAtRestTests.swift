// SPDX-License-Identifier: Apache-2.0
import CryptoExtras
import Foundation
import IdentityPlatform
import OAuth
import Redaction
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// A copy of the database alone must not reveal any secret.
@Suite struct SecretsAtRestTests {
    @Test func `the database contains no key, token, code, cookie, password or name that could sign in`() async throws {
        let fixture = try await TestPlatform()
        let browser = Browser(fixture)
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session()
        let tokens = try await fixture.signedIn(browser: browser)
        let code = try await browser.get(AuthorizeQuery(fixture).path).returned()[ParameterName.code]
        let stranger = Browser(fixture)
        _ = try await stranger.submit(
            try await stranger.get(AuthorizeQuery(fixture).path), username: "canary@contoso.test", password: "canary")
        let secret = session.key.secret
        let key = secret.withBytes { span in
            (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        var canaries = try [
            tokens.string(ReplyName.accessToken), tokens.string(ReplyName.refreshToken),
            session.reply.token.exposed, session.brokerRefreshToken, TestPlatform.password, "canary",
            try #require(code), try #require(browser.cookies["__Host-baton-session"]),
        ].map { Array($0.utf8) }
        canaries.append(key)

        let cells = try await Self.cells(of: fixture.platform.database)
        #expect(cells.count > 100)
        for cell in cells {
            for canary in canaries { #expect(cell.firstRange(of: canary) == nil) }
            // An unencrypted RSA key would parse.
            #expect((try? _RSA.Signing.PrivateKey(derRepresentation: cell)) == nil)
        }
        // Checks that the search would find a secret.
        #expect(cells.contains { $0.firstRange(of: Array("amara@contoso.test".utf8)) != nil })
    }

    @Test func `a signing key that was moved to another row cannot be decrypted`() async throws {
        let fixture = try await TestPlatform()
        let other = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        try await fixture.platform.database.write { connection in
            let stolen = try #require(
                try connection.row(
                    """
                    SELECT sealedPrivateKey FROM signingKey WHERE tenant = \(fixture.tenant.id) AND algorithm = 'RS256'
                    """))
            let bytes: [UInt8] = try stolen["sealedPrivateKey"]
            try connection.execute(
                "UPDATE signingKey SET sealedPrivateKey = \(bytes) WHERE tenant = \(other.id)")
        }
        await #expect(throws: StorageKey.Failure.doesNotOpen) {
            try await fixture.restarted().platform.keys.all(of: other.id)
        }
        #expect(try await fixture.restarted().platform.keys.all(of: fixture.tenant.id).count == 2)
    }

    @Test func `no table or column has a name that PostgreSQL reserves`() async throws {
        let fixture = try await TestPlatform(on: .sqlite)
        let names = try await fixture.platform.database.read { connection -> [String] in
            try connection.rows(
                """
                SELECT lower(m.name) AS place, lower(c.name) AS name FROM sqlite_master m, pragma_table_info(m.name) c
                WHERE m.type = 'table'
                """
            ).flatMap { [try $0["place"], try $0["name"]] }
        }
        #expect(names.contains("person"))
        #expect(Set(names).isDisjoint(with: Self.reserved))
    }

    private static func cells(of database: any Database) async throws -> [[UInt8]] {
        let tables = try await database.tableNames()
        return try await database.read { connection in
            try tables.flatMap { table in
                try connection.rows(SQL(stringLiteral: "SELECT * FROM \"\(table)\"")).flatMap(\.cells)
            }
        }
    }

    /// The reserved words of PostgreSQL 17 (appendix C).
    private static let reserved = Set(
        """
        all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create \
        current_catalog current_date current_role current_time current_timestamp current_user default deferrable desc \
        distinct do else end except false fetch for foreign from grant group having in initially intersect into lateral \
        leading limit localtime localtimestamp not null offset on only or order placing primary references returning \
        select session_user some symmetric system_user table then to trailing true union unique user using variadic \
        when where window with
        """.split(separator: " ").map(String.init))
}
