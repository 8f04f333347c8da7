// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials
internal import Storage
internal import SwiftASN1
internal import X509

/// The self-signed certificate of a signing key, for clients that identify the key by a certificate's thumbprint
/// (`x5t`). It is not stored, because generating it again gives the same certificate.
enum SigningCertificate {
    /// - Throws: an error of the certificate library.
    static func make(for key: _RSA.Signing.PrivateKey, id: String, created: Timestamp) throws -> [UInt8] {
        let name = try DistinguishedName { CommonName("Baton token signing") }
        var serial = Array(SHA256.hash(data: Array(id.utf8)).prefix(16))
        serial[0] = serial[0] & 0x7f | 0x40
        let begin = Date(timeIntervalSince1970: Double(created.seconds))
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(bytes: serial),
            publicKey: Certificate.PublicKey(key.publicKey), notValidBefore: begin,
            notValidAfter: begin + 20 * 365 * 86400, issuer: name, subject: name,
            signatureAlgorithm: .sha256WithRSAEncryption,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
            },
            issuerPrivateKey: Certificate.PrivateKey(key))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
