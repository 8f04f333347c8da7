// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation
import OAuth
import Receipts
import SwiftASN1
import X509

/// A device with a chain of receipts, its tenant's authority, and the server's key for anchors.
struct Chain {
    static let tenant = "11111111-1111-1111-1111-111111111111"
    static let device = "22222222-2222-2222-2222-222222222222"
    /// In the year 2026.
    static let time = 1_790_000_000

    let key: P256.Signing.PrivateKey
    let anchorKey = P256.Signing.PrivateKey()
    /// The authority's certificate, DER.
    let authority: [UInt8]
    let statement: SignedLine
    private(set) var lines: [SignedLine] = []

    /// Creates a chain of `count` receipts.
    init(_ count: Int, key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) throws {
        self.key = key
        let (root, device) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        authority = try Self.certificate("Authority", root, issuer: "Authority", root)
        statement = try KeyStatement(
            tenant: Self.tenant, device: Self.device, key: JSONWebKey(.p256(key.publicKey)), at: Self.time,
            certificate: Self.certificate(Self.device, device, issuer: "Authority", root)
        ).signed(with: .p256(device))
        for _ in 0..<count { try append() }
    }

    mutating func append(
        device: String = Chain.device, previous: String? = nil, version: Int = Receipt.currentVersion,
        unobserved: [String]? = nil
    ) throws {
        lines.append(
            try line(
                lines.count + 1, previous: previous ?? lines.last?.hash, device: device, version: version,
                unobserved: unobserved))
    }

    func line(
        _ sequence: Int, previous: String?, device: String = Chain.device, version: Int = Receipt.currentVersion,
        unobserved: [String]? = nil
    ) throws -> SignedLine {
        try Receipt(
            place: .init(sequence: sequence, previous: previous), version: version, tenant: Self.tenant, device: device,
            key: thumbprint, ended: "\(sequence * 2).00000000000000000000000000000000",
            next: "\(sequence * 2 + 1).00000000000000000000000000000001", trigger: "app", isAttempt: false,
            times: .init(began: Self.time, committed: Self.time + 60, finished: Self.time + 61),
            items: ["browser", "files"].map {
                ReceiptItem(name: $0, grade: .enforced, observer: .broker, result: .done, at: Self.time + 61)
            },
            accessTokensEndBy: .known(Self.time + 600), subject: .known("p1.AAAA"),
            remains: .init(unobserved: unobserved)
        ).signed(with: .p256(key))
    }

    var thumbprint: String { get throws { try JSONWebKey(.p256(key.publicKey)).thumbprint } }

    func anchor(_ sequence: Int, hash: String? = nil, by other: P256.Signing.PrivateKey? = nil) throws -> SignedLine {
        try Anchor(
            tenant: Self.tenant, device: Self.device, key: thumbprint, sequence: sequence,
            hash: hash ?? lines[sequence - 1].hash, at: Self.time + 100,
            authority: JSONWebKey(.p256(anchorKey.publicKey)).thumbprint
        ).signed(with: .p256(other ?? anchorKey))
    }

    func trust(anchors: [SignedLine] = [], authority: [UInt8]? = nil) throws -> ReceiptTrust {
        ReceiptTrust(
            tenant: Self.tenant, deviceAuthority: authority ?? self.authority,
            anchorKey: try JSONWebKey(.p256(anchorKey.publicKey)), anchors: anchors)
    }

    /// Returns the verdict on a file that consists of the statement, the lines and the anchors.
    ///
    /// - Parameters:
    ///   - lines: the receipts of the file; nil for the whole chain.
    ///   - anchors: the anchors in the file.
    ///   - kept: the anchors in the verifier's trust data instead of in the file.
    func verdict(
        on lines: [SignedLine]? = nil, anchors: [SignedLine] = [], kept: [SignedLine] = []
    ) throws -> ChainVerdict {
        let file = Self.file([statement] + (lines ?? self.lines) + anchors)
        return ChainVerifier(.trust(try trust(anchors: kept))).verdict(on: ReceiptFile(bytes: file))
    }

    static func file(_ lines: [SignedLine]) -> [UInt8] { lines.flatMap { $0.bytes + [UInt8(ascii: "\n")] } }

    static func certificate(
        _ name: String, _ key: P256.Signing.PrivateKey, issuer: String, _ issuerKey: P256.Signing.PrivateKey
    ) throws -> [UInt8] {
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: Date(timeIntervalSince1970: Double(time - 1000)),
            notValidAfter: Date(timeIntervalSince1970: Double(time + 1000)),
            issuer: try DistinguishedName { CommonName(issuer) }, subject: try DistinguishedName { CommonName(name) },
            signatureAlgorithm: .ecdsaWithSHA256, extensions: .init(), issuerPrivateKey: .init(issuerKey))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
