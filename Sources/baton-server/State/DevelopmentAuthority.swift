// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

/// The server's own certificate authority, created at the first start, and the server certificate that it issues.
/// Clients trust `ca/root.pem`.
struct DevelopmentAuthority {
    let root: Certificate
    /// The server's certificate as PEM.
    let certificate: String
    /// The server's private key as PEM.
    let key: String

    /// The authority's certificate, in the state directory.
    static let rootFile = "ca/root.pem"

    private static let validity = Duration.seconds(397 * 86400)
    private static let renewal = Duration.seconds(30 * 86400)

    /// Loads the existing files. Creates missing files. Issues a new server certificate if the names have changed or
    /// the certificate expires within 30 days.
    ///
    /// - Throws: ``ServerError``
    init(in directory: StateDirectory, names: [String], now: Date = Date()) throws {
        try directory.makeFolder("ca")
        do {
            let (root, rootKey) = try Self.authority(in: directory, now: now)
            self.root = root
            if let certificate = try Self.text("ca/server.pem", in: directory),
                let key = try Self.text("ca/server.key", in: directory),
                try Self.fits(Certificate(pemEncoded: certificate), names: names, root: root, at: now),
                try Certificate.PublicKey(P256.Signing.PrivateKey(pemRepresentation: key).publicKey)
                    == Certificate(pemEncoded: certificate).publicKey
            {
                (self.certificate, self.key) = (certificate, key)
            } else {
                let leafKey = P256.Signing.PrivateKey()
                let leaf = try Self.leaf(leafKey, names: names, issuer: root, issuerKey: rootKey, at: now)
                (certificate, key) = (try leaf.serializeAsPEM().pemString, leafKey.pemRepresentation)
                // The old certificate must not be used with the new key. If a crash leaves one file old and one new,
                // the pair does not match and is created again.
                try directory.replace("ca/server.key", with: Array(key.utf8))
                try directory.replace("ca/server.pem", with: Array(certificate.utf8))
            }
        } catch let error as ServerError {
            throw error
        } catch {
            throw ServerError(
                .authorityUnusable, "The files in ca/ are not a certificate authority.",
                remedy: "Restore ca/ from a backup. Or remove it: the server then creates a new authority, which "
                    + "clients must trust.")
        }
    }

    private static func text(_ name: String, in directory: StateDirectory) throws -> String? {
        try directory.read(name).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func authority(
        in directory: StateDirectory, now: Date
    ) throws -> (Certificate, P256.Signing.PrivateKey) {
        if let root = try text(rootFile, in: directory) {
            // The key is written before the certificate, so an interrupted first start cannot leave a certificate
            // without a key. Clients trust this certificate, so it must not be replaced.
            guard let key = try text("ca/root.key", in: directory) else {
                throw ServerError(
                    .authorityUnusable, "\(directory.path(of: "ca/root.key")) is missing.",
                    remedy: "Copy root.key and root.pem together, from a backup or from another node.")
            }
            return (try Certificate(pemEncoded: root), try P256.Signing.PrivateKey(pemRepresentation: key))
        }
        let key = P256.Signing.PrivateKey()
        let root = try self.root(key, now)
        try directory.replace("ca/root.key", with: Array(key.pemRepresentation.utf8))
        try directory.replace(rootFile, with: Array(try root.serializeAsPEM().pemString.utf8))
        return (root, key)
    }

    private static func root(_ key: P256.Signing.PrivateKey, _ now: Date) throws -> Certificate {
        let name = try DistinguishedName {
            OrganizationName("Baton")
            CommonName("Baton Development CA")
        }
        let publicKey = Certificate.PublicKey(key.publicKey)
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: now.addingTimeInterval(-3600), notValidAfter: now.addingTimeInterval(10 * 365 * 86400),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: publicKey)
            },
            issuerPrivateKey: Certificate.PrivateKey(key))
    }

    private static func leaf(
        _ key: P256.Signing.PrivateKey, names: [String], issuer root: Certificate,
        issuerKey rootKey: P256.Signing.PrivateKey,
        at now: Date
    ) throws -> Certificate {
        let publicKey = Certificate.PublicKey(key.publicKey)
        let rootIdentifier = SubjectKeyIdentifier(hash: root.publicKey)
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: now.addingTimeInterval(-3600),
            notValidAfter: now.addingTimeInterval(Double(validity.components.seconds) - 3600),
            issuer: root.subject, subject: try DistinguishedName { CommonName("baton-server") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(alternatives(names))
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(keyIdentifier: rootIdentifier.keyIdentifier)
            },
            issuerPrivateKey: Certificate.PrivateKey(rootKey))
    }

    private static func alternatives(_ names: [String]) -> [GeneralName] {
        (names + ["localhost"]).map { .dnsName($0.lowercased()) }
            + [.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))]
    }

    private static func fits(_ leaf: Certificate, names: [String], root: Certificate, at now: Date) throws -> Bool {
        guard let present = try leaf.extensions.subjectAlternativeNames else { return false }
        return Set(present.map(\.description)) == Set(alternatives(names).map(\.description))
            && leaf.issuer == root.subject && root.publicKey.isValidSignature(leaf.signature, for: leaf)
            && leaf.notValidAfter > now.addingTimeInterval(Double(renewal.components.seconds))
    }
}
