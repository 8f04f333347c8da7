// SPDX-License-Identifier: Apache-2.0
import Crypto
import FoundationEssentials
import MDMProtocol
import Redaction
import SwiftASN1
import TestSupport
import Testing
import X509

@Suite struct PKCS12Tests {
    private let identity: PKCS12

    init() throws { identity = try Self.identity(named: "device-1") }

    @Test func `a container is decoded as it was encoded`() throws {
        let container = try write(identity)
        let read = try PKCS12(container: container, password: "pässwörd")
        #expect(read.privateKey == identity.privateKey)
        #expect(read.certificates == identity.certificates)
    }

    @Test func `OpenSSL opens the containers that Baton writes`() async throws {
        let arguments = ["pkcs12", "-nodes", "-passin", "pass:pässwörd"]
        let output = String(decoding: try await tool("openssl", arguments, input: try write(identity)), as: UTF8.self)
        #expect(output.contains("BEGIN PRIVATE KEY"))
        #expect(output.contains("CN = device-1"))
    }

    @Test func `Baton opens the containers that OpenSSL writes`() async throws {
        let pem = try pemFile(of: identity)
        let arguments = ["pkcs12", "-export", "-passout", "pass:secret", "-name", "a device"]
        let container = try await tool("openssl", arguments, input: Array(pem.utf8))
        let read = try PKCS12(container: container, password: "secret")
        #expect(read.certificates == identity.certificates)
        #expect(read.privateKey == identity.privateKey)
    }

    @Test func `old ciphers, missing MACs and high iteration counts are refused`() async throws {
        let pem = Array(try pemFile(of: identity).utf8)
        let base = ["pkcs12", "-export", "-passout", "pass:x"]
        let cases: [([String], PKCS12Error)] = [
            (["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES"], .unsupported),
            (["-macalg", "sha1"], .unsupported),
            (["-nomac"], .unsupported),
            (["-keypbe", "AES-128-CBC"], .unsupported),
            (["-iter", "700000"], .limitExceeded),
        ]
        for (arguments, expected) in cases {
            let container = try await tool("openssl", base + arguments, input: pem)
            #expect(throws: expected) { try PKCS12(container: container, password: "x") }
        }
    }

    @Test func `a wrong password and a changed container are distinguished from a malformed one`() throws {
        let container = try write(identity)
        #expect(throws: PKCS12Error.wrongPassword) { try PKCS12(container: container, password: "passwort") }
        #expect(throws: PKCS12Error.malformed) { try PKCS12(container: Array(container.dropLast()), password: "x") }
        #expect(throws: PKCS12Error.malformed) { try PKCS12(container: [], password: "x") }
        #expect(throws: PKCS12Error.limitExceeded) {
            try PKCS12(container: [UInt8](repeating: 0, count: 70_000), password: "x")
        }
    }

    @Test func `a certificate of another key is refused`() throws {
        let other = try Self.identity(named: "device-2")
        let mixed = PKCS12(privateKey: identity.privateKey, certificates: other.certificates)
        #expect(throws: PKCS12Error.mismatch) { try PKCS12(container: try write(mixed), password: "pässwörd") }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `a mutated container never traps and never opens`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let original = try write(identity, iterations: 1)
        for _ in 0..<1_000 {
            var bytes = original
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            #expect(throws: PKCS12Error.self, "seed \(seed)") {
                try PKCS12(container: bytes, password: "pässwörd", limits: .init(iterations: 2_000))
            }
        }
    }

    private func write(_ identity: PKCS12, iterations: Int = 2_048) throws -> [UInt8] {
        try identity.container(password: "pässwörd", iterations: iterations) { count in
            (0..<count).map { _ in UInt8.random(in: 0...255) }
        }
    }

    private func pemFile(of identity: PKCS12) throws -> String {
        let key = identity.privateKey.withBytes { span in
            (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        let certificate = PEMDocument(type: "CERTIFICATE", derBytes: identity.certificates[0])
        return PEMDocument(type: "PRIVATE KEY", derBytes: key).pemString + "\n" + certificate.pemString + "\n"
    }

    static func identity(named name: String) throws -> PKCS12 {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        let now = Date()
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: now,
            notValidAfter: now + 3_600, issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: .init(), issuerPrivateKey: .init(key))
        var coder = DER.Serializer()
        try coder.serialize(certificate)
        return PKCS12(
            privateKey: SecretBytes(copying: Array(key.derRepresentation)), certificates: [coder.serializedBytes])
    }
}
