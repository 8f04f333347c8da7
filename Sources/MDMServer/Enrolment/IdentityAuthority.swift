// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import DeviceManagement
internal import Foundation
internal import Redaction
internal import Storage
internal import SwiftASN1
internal import X509

/// The authority that issues device identities for management; nothing else trusts it.
struct IdentityAuthority: Sendable {
    /// DER.
    let certificate: [UInt8]
    private let issuer: Certificate
    private let key: P256.Signing.PrivateKey

    /// Reads the authority of the database, or makes and stores one.
    static func load(database: any Database, sources: MDMSources) async throws -> IdentityAuthority {
        let now = Date(timeIntervalSince1970: Double(sources.now()) / 1000)
        let fresh = try make(now: now)
        return try await database.write { connection in
            if let row = try connection.row("SELECT certificate, privateKey FROM authority WHERE name = 'identity'") {
                return try IdentityAuthority(certificate: row.bytes(0), privateKey: row.bytes(1))
            }
            let privateKey = Array(fresh.key.rawRepresentation)
            try connection.execute(
                """
                INSERT INTO authority (name, certificate, privateKey)
                VALUES ('identity', \(fresh.certificate), \(privateKey))
                """)
            return fresh
        }
    }

    private init(certificate: [UInt8], privateKey: [UInt8]) throws {
        self.certificate = certificate
        issuer = try Certificate(derEncoded: certificate)
        key = try P256.Signing.PrivateKey(rawRepresentation: privateKey)
    }

    private static func make(now: Date) throws -> IdentityAuthority {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("Baton device management identities") }
        let publicKey = Certificate.PublicKey(key.publicKey)
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: publicKey, notValidBefore: now - 300,
            notValidAfter: now + 20 * 365 * 86_400, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: publicKey)
            },
            issuerPrivateKey: .init(key))
        return try IdentityAuthority(certificate: der(certificate), privateKey: Array(key.rawRepresentation))
    }

    /// Makes a key and a client certificate for one enrolment.
    ///
    /// The certificate lasts as long as the authority. The enrolment ends earlier, by the server's own record: a device
    /// whose certificate had ended would be turned away in the handshake and never learn that it is not managed any more.
    func issue(enrolment: String, now: Date) throws -> PKCS12 {
        let key = P256.Signing.PrivateKey()
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: now - 300,
            notValidAfter: issuer.notValidAfter, issuer: issuer.subject,
            subject: try DistinguishedName { CommonName(enrolment) }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.clientAuth])
                SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: Certificate.PublicKey(self.key.publicKey)).keyIdentifier)
            },
            issuerPrivateKey: .init(self.key))
        var privateKey = Array(key.derRepresentation)
        return PKCS12(privateKey: SecretBytes(consuming: &privateKey), certificates: [try Self.der(certificate)])
    }

    private static func der(_ certificate: Certificate) throws -> [UInt8] {
        var coder = DER.Serializer()
        try coder.serialize(certificate)
        return coder.serializedBytes
    }
}
