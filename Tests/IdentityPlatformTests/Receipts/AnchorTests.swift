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

    @Test func `the newest receipt is countersigned with a key that the tenant certifies`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let anchor = try await testDevice.anchored(key, 3, "line 3")
        let trust = try ReceiptTrust(
            bytes: try await fixture.platform.receiptAuthorities.trust(
                of: fixture.tenant.id, devices: fixture.platform.deviceAuthorities))
        #expect(anchor.line.isSigned(by: try trust.anchorKey.verificationKey()))
        #expect(trust.anchors == [anchor.line])
        #expect(anchor.anchor.sequence == 3)
        #expect(anchor.anchor.hash == TestDevice.hash("line 3"))
        #expect(anchor.anchor.device == (try testDevice.id))
        #expect(anchor.anchor.at == Int(fixture.clock.now.seconds))
    }

    @Test func `a repeated request gets the same answer, however late`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let first = try await testDevice.anchored(key, 1, "line 1").line
        _ = try await testDevice.anchored(key, 2, "line 2")
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await testDevice.anchored(key, 1, "line 1").line == first)
    }

    @Test func `another receipt with the same number is refused, and the audit log says so`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        _ = try await testDevice.anchored(key, 5, "line 5")
        #expect(try await testDevice.anchor(key, 5, "another").errorNumber == 5_000_619)
        #expect(try await fixture.forks == 1)
        _ = try await testDevice.anchored(key, 6, "line 6")
    }

    @Test func `a chain that has become shorter is refused`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        _ = try await testDevice.anchored(key, 5, "line 5")
        #expect(try await testDevice.anchor(key, 4, "line 4").errorNumber == 5_000_619)
        #expect(try await fixture.forks == 1)
    }

    @Test func `only the newest heads of a long chain are kept, and an older one is not a fork`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        for number in 1...40 { _ = try await testDevice.anchored(key, number, "line \(number)") }
        #expect(try await testDevice.anchored(key, 10, "line 10").anchor.sequence == 10)
        #expect(try await testDevice.anchor(key, 1, "line 1").errorNumber == 5_000_619)
    }

    @Test func `the chain continues when the device joins again`() async throws {
        let fixture = try await TestPlatform()
        let (testDevice, again) = (
            try await TestDevice.joined(fixture), try await TestDevice.joined(fixture, number: 1)
        )
        _ = try await testDevice.anchored(key, 2, "line 2")
        #expect(try await again.anchor(key, 2, "another").errorNumber == 5_000_619)
        #expect(try await again.anchored(key, 3, "line 3").anchor.sequence == 3)
    }

    @Test func `a head that its key did not sign, or from another device, is refused`() async throws {
        let fixture = try await TestPlatform()
        let (testDevice, other) = (
            try await TestDevice.joined(fixture), try await TestDevice.joined(fixture, number: 1)
        )
        #expect(
            try await testDevice.anchor(key, 1, "line 1", signer: P256.Signing.PrivateKey()).errorNumber == 9_002_313)
        #expect(try await testDevice.anchor(key, 1, "line 1", device: try other.id).errorNumber == 9_002_313)
        let old = try await testDevice.nonce()
        #expect(try await testDevice.anchor(key, 1, "line 1", headNonce: old).errorNumber == 9_002_313)
    }

    @Test func `an unknown device gets no countersignature`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        _ = try await fixture.administration.devices.remove(
            try #require(DeviceID(rawValue: try testDevice.id)), tenant: fixture.tenant)
        #expect(try await testDevice.anchor(key, 1, "line 1").errorNumber == OAuthError.unknownDeviceNumber)
    }
}

extension TestPlatform {
    /// Returns the number of audit entries that report a forked chain.
    fileprivate var forks: Int {
        get async throws {
            try await platform.database.read { connection in
                try AuditLog(connection).latest(100, tenant: tenant.id)
                    .filter { $0.action == AuditAction.receiptsForked.rawValue && $0.outcome == "refused" }.count
            }
        }
    }
}

extension TestDevice {
    static func hash(_ text: String) -> String { Base64URL.encode(SHA256.hash(data: Data(text.utf8))) }

    /// Requests a countersignature for a chain head. Parameters that a test does not set are valid.
    func anchor(
        _ key: P256.Signing.PrivateKey, _ sequence: Int, _ line: String, signer: P256.Signing.PrivateKey? = nil,
        device: String? = nil, headNonce: String? = nil, newest: SignedLine? = nil
    ) async throws -> TestResponse {
        let nonce = try await nonce()
        let head = ChainHead(
            tenant: fixture.tenant.id.rawValue, device: try device ?? id, key: try JSONWebKey(.p256(key.publicKey)),
            sequence: sequence, hash: Self.hash(line), nonce: headNonce ?? nonce)
        return try await send(
            AnchorRequest(
                try binding(AnchorRequest.self, nonce: nonce), head: try head.signed(with: .p256(signer ?? key)),
                newest: newest))
    }

    func anchored(
        _ key: P256.Signing.PrivateKey, _ sequence: Int, _ line: String
    ) async throws -> (anchor: Anchor, line: SignedLine) {
        let answer = try await anchor(key, sequence, line)
        #expect(answer.status == .ok, "\(answer.text)")
        return try AnchorRequest.anchor(decoding: answer.body)
    }
}
