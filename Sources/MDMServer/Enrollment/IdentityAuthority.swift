// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Foundation
internal import MDMProtocol
internal import Redaction
internal import Storage
internal import SwiftASN1
internal import X509

/// The certificate authority that issues device identities for management. It is trusted for no other purpose.
struct IdentityAuthority: Sendable {
    /// The authority's certificate, DER.
    let certificate: [UInt8]
    private let issuer: Certificate
    private let key: P256.Signing.PrivateKey

    private static let purpose = "device management identity authority"

    /// Loads the authority from the database, or creates and stores one. Seals a key that an older server stored
    /// unencrypted.
    ///
    /// - Throws: ``StorageError``, or the error of `sealer` for a key that was sealed under a different key.
    static func load(
        database: any Database, sealer: SecretSealer, sources: MDMSources
    ) async throws -> IdentityAuthority {
        let now = sources.now().date
        let fresh = try make(now: now)
        return try await database.write { connection in
            // If several nodes start at once on a new database, the authority that is written first is used.
            try connection.insert(
                into: StoredAuthority.self,
                [
                    .name: "identity", .certificate: fresh.certificate, .privateKey: [UInt8](),
                    .sealedPrivateKey: try sealer.seal(Array(fresh.key.rawRepresentation), purpose),
                ], "ON CONFLICT (name) DO NOTHING")
            guard let row = try connection.row(of: StoredAuthority.self, "WHERE name = 'identity'") else {
                throw StorageError(.unexpectedValue, "the authority of device identities is missing")
            }
            let (certificate, sealed): ([UInt8], [UInt8]?) = (try row[.certificate], try row[.sealedPrivateKey])
            if let sealed {
                return try IdentityAuthority(certificate: certificate, privateKey: sealer.open(sealed, purpose))
            }
            let clear: [UInt8] = try row[.privateKey]
            let authority = try IdentityAuthority(certificate: certificate, privateKey: clear)
            let sealedKey = try sealer.seal(clear, purpose)
            // Zeros of the same length overwrite the key in the file. A shorter value might leave parts of the key
            // there.
            let zeros = [UInt8](repeating: 0, count: clear.count)
            try connection.execute(
                """
                UPDATE authority SET privateKey = \(zeros), sealedPrivateKey = \(sealedKey) WHERE name = 'identity'
                """)
            return authority
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

    /// Creates a key and a client certificate for one enrollment.
    ///
    /// The certificate is valid as long as the authority. The server's database contains an earlier end of the
    /// enrollment. The certificate does not expire at that time, because a device with an expired certificate would
    /// fail in the TLS handshake and never learn that it is no longer managed. The certificate contains the
    /// enrollment's end as its private key usage period, so that the device also knows this time.
    ///
    /// - Parameter end: when the server stops accepting the identity.
    func issue(enrollment: EnrollmentID, now: Date, end: Timestamp) throws -> PKCS12 {
        let key = P256.Signing.PrivateKey()
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: now - 300,
            notValidAfter: issuer.notValidAfter, issuer: issuer.subject,
            subject: try DistinguishedName { CommonName(enrollment.rawValue) }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.clientAuth])
                SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
                try PrivateKeyUsagePeriod(end: end.seconds).certificateExtension
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

private enum StoredAuthority: Table {
    static let table = "authority"
    enum Column: String, ColumnName { case name, certificate, privateKey, sealedPrivateKey }
}

extension Timestamp {
    /// The same point in time as a `Date`, for certificates.
    var date: Date { Date(timeIntervalSince1970: Double(rawValue) / 1000) }
}
