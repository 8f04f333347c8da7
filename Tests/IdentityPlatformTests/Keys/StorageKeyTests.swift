// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import HTTPTypes
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

/// Each purpose has its own key. Values that older versions of the server sealed or derived with the key in the file
/// are still accepted.
@Suite struct StorageKeyTests {
    private static let root = SymmetricKey(data: [UInt8](repeating: 7, count: StorageKey.length))

    @Test func `data sealed for a purpose opens under no other key and for no other purpose`() throws {
        let key = try TestPlatform.storageKey()
        let (bytes, purpose) = (Array("secret".utf8), "some row")
        let sealed = try key.seal(bytes, purpose: purpose)
        #expect(try key.open(sealed, purpose: purpose) == bytes)
        #expect(throws: StorageKey.Failure.doesNotOpen) { try key.open(sealed, purpose: "another row") }
        #expect(throws: StorageKey.Failure.doesNotOpen) {
            try TestPlatform.storageKey(8).open(sealed, purpose: purpose)
        }
        for changed in [[], Array(sealed.dropLast()), sealed + [0]] {
            #expect(throws: StorageKey.Failure.doesNotOpen) { try key.open(changed, purpose: purpose) }
        }
        // The key in the file is no longer used for encryption.
        #expect(throws: (any Error).self) {
            try AES.GCM.open(.init(combined: sealed), using: Self.root, authenticating: Array(purpose.utf8))
        }
        // Only the key for this purpose decrypts the value.
        let own = Self.key("sealing", purpose)
        #expect(
            try AES.GCM.open(.init(combined: sealed), using: own, authenticating: Array(purpose.utf8)) == Data(bytes))
        // A value that was encrypted with the key in the file can still be decrypted, but only for its purpose.
        let former = try Self.formerlySealed(bytes, purpose)
        #expect(try key.open(former, purpose: purpose) == bytes)
        #expect(throws: StorageKey.Failure.doesNotOpen) { try key.open(former, purpose: "another row") }
    }

    @Test func `a database that an older server sealed opens, and its sessions continue`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session()
        let refresh = try await fixture.signedIn().string(ReplyName.refreshToken)
        #expect(try await session.use().status == .ok)
        let tenant = fixture.tenant.id.rawValue
        try await fixture.reseal("storageCheck", "sealed", "name") { $0 }
        try await fixture.reseal("signingKey", "sealedPrivateKey", "id") { "signing key \(tenant) \($0)" }
        try await fixture.reseal("deviceAuthority", "sealedPrivateKey", "tenant") { "device authority \($0)" }
        try await fixture.reseal("primaryRefreshToken", "sealedSessionKey", "hash") { "session key \(tenant) \($0)" }
        try await fixture.reseal("receiptAuthority", "sealedAnchorKey", "tenant") { "receipt anchor key \($0)" }
        try await fixture.reseal("receiptAuthority", "sealedSubjectKey", "tenant") { "receipt subject key \($0)" }

        let restarted = try await fixture.restarted()
        #expect(try await restarted.refresh(refresh).status == .ok)
        #expect(try await restarted.signedIn("bo@contoso.test").string(ReplyName.idToken).isEmpty == false)
        var there = try TestDevice(restarted)
        there.certificate = testDevice.certificate
        let again = TestDeviceSession(
            testDevice: there, reply: session.reply, key: session.key, counter: session.counter,
            brokerRefreshToken: session.brokerRefreshToken)
        #expect(try await again.use().status == .ok)
        _ = try await TestDevice.joined(restarted, number: 1)
        await #expect(throws: StorageKey.Failure.doesNotOpen) { try await fixture.restarted(storageKey: 8) }
    }

    @Test func `a refresh token is derived with a key that is used only for refresh tokens`() async throws {
        let fixture = try await TestPlatform()
        let first = try await fixture.signedIn().string(ReplyName.refreshToken)
        let second = try await fixture.refresh(first).json.string(ReplyName.refreshToken)
        let code = HMAC<SHA256>.authenticationCode(
            for: try await fixture.placeOfSecondToken(), using: Self.key("derivation", "refresh token"))
        #expect(try fixture.token(Array(code)).text.exposed == second)
    }

    @Test func `a lost token reply of an older server is repeated once`() async throws {
        let fixture = try await TestPlatform()
        let first = try await fixture.signedIn().string(ReplyName.refreshToken)
        let second = try await fixture.refresh(first).json.string(ReplyName.refreshToken)
        let former = try fixture.formerToken("refresh token", await fixture.placeOfSecondToken())
        let given = try #require(OpaqueToken(second))
        try await fixture.platform.database.write { connection in
            try connection.execute("UPDATE refreshToken SET hash = \(former.hash) WHERE hash = \(given.hash)")
        }
        let restarted = try await fixture.restarted()
        let repeated = try await restarted.refresh(first).json.string(ReplyName.refreshToken)
        #expect(repeated == former.text.exposed)
        #expect(try await restarted.refresh(repeated).status == .ok)
    }

    @Test func `a lost renewal reply of an older server is repeated once`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let (renewed, _) = try await session.renewed()
        let used = try #require(OpaqueToken(session.token.exposed))
        let former = try fixture.formerToken("renewed PRT", used.hash)
        let given = try #require(OpaqueToken(renewed.token.exposed))
        let key = session.key.secret.withBytes { span in
            (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        let sealed = try Self.formerlySealed(
            key, "session key \(fixture.tenant.id) \(Base64URL.encode(former.hash))")
        try await fixture.platform.database.write { connection in
            try connection.execute(
                """
                UPDATE primaryRefreshToken SET hash = \(former.hash), sealedSessionKey = \(sealed)
                WHERE hash = \(given.hash)
                """)
        }
        let (again, _) = try await session.renewed()
        #expect(again.token.exposed == former.text.exposed)
        #expect(try await again.use().status == .ok)
    }

    /// Returns the key for one purpose.
    private static func key(_ use: String, _ purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: root, info: Array("baton \(use)\0\(purpose)".utf8), outputByteCount: StorageKey.length)
    }

    /// Seals bytes as older versions of the server did, before each purpose had its own key.
    fileprivate static func formerlySealed(_ bytes: [UInt8], _ purpose: String) throws -> [UInt8] {
        Array(try #require(try AES.GCM.seal(bytes, using: root, authenticating: Array(purpose.utf8)).combined))
    }

    fileprivate static func formerlyDerived(_ label: String, _ input: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(label.utf8) + [0] + input, using: root))
    }
}

extension TestPlatform {
    /// Replaces every sealed value in a column with a value in the older format. Expects at least one value.
    ///
    /// - Parameter purpose: returns the purpose of the row with the given name.
    fileprivate func reseal(
        _ table: String, _ column: String, _ key: String, _ purpose: @escaping @Sendable (String) -> String
    ) async throws {
        let storageKey = try TestPlatform.storageKey()
        let count = try await platform.database.write { connection in
            let rows = try connection.rows(
                SQL(stringLiteral: "SELECT \(key) AS name, \(column) AS sealed FROM \(table)"))
            for row in rows {
                let name: String = key == "hash" ? Base64URL.encode(try row["name"] as [UInt8]) : try row["name"]
                let sealed: [UInt8] = try row["sealed"]
                let bytes = try storageKey.open(sealed, purpose: purpose(name))
                let former = try StorageKeyTests.formerlySealed(bytes, purpose(name))
                let update = SQL(stringLiteral: "UPDATE \(table) SET \(column) = ")
                try connection.execute("\(update)\(former)\(SQL(stringLiteral: " WHERE \(column) = "))\(sealed)")
            }
            return rows.count
        }
        #expect(count > 0)
    }

    /// Returns the token that an older version of the server derived.
    fileprivate func formerToken(_ label: String, _ input: [UInt8]) throws -> OpaqueToken {
        try token(StorageKeyTests.formerlyDerived(label, input))
    }

    fileprivate func token(_ secret: [UInt8]) throws -> OpaqueToken {
        try #require(OpaqueToken("1.\(Base64URL.encode(tenant.id.bytes)).\(Base64URL.encode(secret))"))
    }

    /// Returns the input from which the second refresh token of the only family is derived.
    fileprivate func placeOfSecondToken() async throws -> [UInt8] {
        let text = try await platform.database.read { connection in
            let record = try #require(try connection.record(RefreshToken.self, "WHERE generation = 1"))
            return "\(record.family) \(record.client) 1"
        }
        return tenant.id.bytes + Array(text.utf8)
    }
}
