// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Receipts
import Storage
import TestSupport
import Testing

@Suite struct AnchorTests {
    private let key = P256.Signing.PrivateKey()

    @Test func `the newest receipt is countersigned, by a key that the tenant vouches for`() async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        let anchor = try await till.anchored(key, 3, "line 3")
        let trust = try ReceiptTrust(bytes: try await world.platform.receiptTrust(of: world.tenant.id))
        #expect(anchor.line.isSigned(by: try trust.anchorKey.verificationKey()))
        #expect(trust.anchors == [anchor.line])
        #expect(anchor.anchor.sequence == 3)
        #expect(anchor.anchor.hash == Till.hash("line 3"))
        #expect(anchor.anchor.device == (try till.id))
        #expect(anchor.anchor.at == Int(world.clock.now.seconds))
    }

    @Test func `the same again gets the same answer, whenever it comes`() async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        let first = try await till.anchored(key, 1, "line 1").line
        _ = try await till.anchored(key, 2, "line 2")
        world.clock.advance(by: .seconds(3600))
        #expect(try await till.anchored(key, 1, "line 1").line == first)
    }

    @Test func `another line of the same number is refused, and the audit log says so`() async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        _ = try await till.anchored(key, 5, "line 5")
        #expect(try await till.anchor(key, 5, "another").errorNumber == 5_000_619)
        #expect(try await world.forks == 1)
        _ = try await till.anchored(key, 6, "line 6")
    }

    @Test func `a chain that has become shorter is refused`() async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        _ = try await till.anchored(key, 5, "line 5")
        #expect(try await till.anchor(key, 4, "line 4").errorNumber == 5_000_619)
        #expect(try await world.forks == 1)
    }

    @Test func `of a long chain the last heads are kept, and an old one is no fork for that`() async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        for number in 1...40 { _ = try await till.anchored(key, number, "line \(number)") }
        #expect(try await till.anchored(key, 10, "line 10").anchor.sequence == 10)
        #expect(try await till.anchor(key, 1, "line 1").errorNumber == 5_000_619)
    }

    @Test func `the chain goes on when the device joins again`() async throws {
        let world = try await World()
        let (till, again) = (try await Till.joined(world), try await Till.joined(world, number: 1))
        _ = try await till.anchored(key, 2, "line 2")
        #expect(try await again.anchor(key, 2, "another").errorNumber == 5_000_619)
        #expect(try await again.anchored(key, 3, "line 3").anchor.sequence == 3)
    }

    @Test func `a head that its key did not sign, or that is another device's, is none`() async throws {
        let world = try await World()
        let (till, other) = (try await Till.joined(world), try await Till.joined(world, number: 1))
        #expect(try await till.anchor(key, 1, "line 1", signer: P256.Signing.PrivateKey()).errorNumber == 9_002_313)
        #expect(try await till.anchor(key, 1, "line 1", device: try other.id).errorNumber == 9_002_313)
        let old = try await till.nonce()
        #expect(try await till.anchor(key, 1, "line 1", headNonce: old).errorNumber == 9_002_313)
    }

    @Test func `a device that nobody knows gets nothing`() async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        _ = try await world.administration.remove(
            try #require(DeviceID(rawValue: try till.id)), tenant: world.tenant)
        #expect(try await till.anchor(key, 1, "line 1").errorNumber == OAuthError.unknownDeviceNumber)
    }
}

extension World {
    /// Lines of the audit log that tell of a forked chain.
    fileprivate var forks: Int {
        get async throws {
            try await platform.database.read { connection in
                try AuditLog(connection).latest(100, tenant: tenant.id)
                    .filter { $0.action == AuditAction.receiptsForked.rawValue && $0.outcome == "refused" }.count
            }
        }
    }
}

extension Till {
    static func hash(_ text: String) -> String { Base64URL.encode(SHA256.hash(data: Data(text.utf8))) }

    /// Has a head countersigned; what a test does not say is as it should be.
    func anchor(
        _ key: P256.Signing.PrivateKey, _ sequence: Int, _ line: String, signer: P256.Signing.PrivateKey? = nil,
        device: String? = nil, headNonce: String? = nil
    ) async throws -> TestResponse {
        let nonce = try await nonce()
        let head = ChainHead(
            tenant: world.tenant.id.rawValue, device: try device ?? id, key: try JSONWebKey(.p256(key.publicKey)),
            sequence: sequence, hash: Self.hash(line), nonce: headNonce ?? nonce)
        return try await send(
            AnchorRequest(
                try binding(AnchorRequest.self, nonce: nonce), head: try head.signed(with: .p256(signer ?? key))))
    }

    func anchored(
        _ key: P256.Signing.PrivateKey, _ sequence: Int, _ line: String
    ) async throws -> (anchor: Anchor, line: SignedLine) {
        let answer = try await anchor(key, sequence, line)
        #expect(answer.status == .ok, "\(answer.text)")
        return try AnchorRequest.anchor(decoding: answer.body)
    }
}
