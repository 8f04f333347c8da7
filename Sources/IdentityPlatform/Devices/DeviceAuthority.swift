// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials
internal import OAuth
internal import Storage
internal import SwiftASN1
internal import X509

/// The certification authority for one organisation's devices.
struct DeviceAuthority: Sendable {
    private let certificate: Certificate
    private let key: Certificate.PrivateKey

    /// Creates an authority. Its name contains a GUID as the organisational unit, because some clients look for a GUID
    /// there. Blocks for about 0.1 s.
    ///
    /// - Returns: the authority, its certificate in DER, and its private key in DER, which must be stored sealed.
    /// - Throws: an error of the certificate library.
    static func generate(
        at time: Timestamp, _ environment: ClockAndRandomness
    ) throws -> (authority: DeviceAuthority, certificate: [UInt8], privateKey: [UInt8]) {
        let unit: ID<DeviceAuthority> = environment.identifier()
        let rsa = try environment.makeRSAKey()
        let key = Certificate.PrivateKey(rsa)
        let name = try DistinguishedName {
            CommonName("MS-Organization-Access")
            OrganizationalUnitName(unit.rawValue)
        }
        let identifier = ArraySlice(Insecure.SHA1.hash(data: rsa.publicKey.pkcs1DERRepresentation))
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: time.date - 300, notValidAfter: time.date + 20 * 365 * 86400, issuer: name, subject: name,
            signatureAlgorithm: .sha256WithRSAEncryption,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(keyIdentifier: identifier)
            },
            issuerPrivateKey: key)
        let authority = DeviceAuthority(certificate: certificate, key: key)
        return (authority, try authority.der(certificate), Array(rsa.derRepresentation))
    }

    private init(certificate: Certificate, key: Certificate.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Restores a stored authority.
    ///
    /// - Throws: an error of the certificate library if a part does not parse.
    init(certificate: [UInt8], privateKey: [UInt8]) throws {
        self.certificate = try Certificate(derEncoded: certificate)
        key = Certificate.PrivateKey(try _RSA.Signing.PrivateKey(derRepresentation: privateKey))
    }

    /// The authority's certificate in DER.
    var certificateBytes: [UInt8] { get throws { try der(certificate) } }

    /// The contents of a device certificate.
    struct Subject {
        let device: DeviceID
        /// The person who joined the device.
        let user: UserID
        let tenant: TenantID
        let joinType: JoinType
        let region: String
        let key: VerificationKey
    }

    /// Issues a device certificate and returns its DER.
    ///
    /// - Throws: an error of the certificate library.
    func issue(_ subject: Subject, from begin: Timestamp, to end: Timestamp) throws -> [UInt8] {
        let name = try DistinguishedName { CommonName(subject.device.rawValue) }
        let (publicKey, identifier) = try Self.published(subject.key)
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: begin.date - 300, notValidAfter: end.date, issuer: self.certificate.subject, subject: name,
            signatureAlgorithm: .sha256WithRSAEncryption, extensions: try extensions(subject, identifier),
            issuerPrivateKey: key)
        return try der(certificate)
    }

    /// Returns the key in the type that the certificate library needs, and the key's identifier: SHA-1 of the key's
    /// bits (RFC 5280 section 4.2.1.2).
    private static func published(_ key: VerificationKey) throws -> (Certificate.PublicKey, ArraySlice<UInt8>) {
        switch key {
        case .rsa(let key), .rsaPSS(let key):
            (Certificate.PublicKey(key), ArraySlice(Insecure.SHA1.hash(data: key.pkcs1DERRepresentation)))
        case .p256(let key):
            (Certificate.PublicKey(key), ArraySlice(Insecure.SHA1.hash(data: key.x963Representation)))
        case .symmetric: throw JOSEFailure.unusableKey
        }
    }

    private func extensions(_ subject: Subject, _ identifier: ArraySlice<UInt8>) throws -> Certificate.Extensions {
        let issuer = try self.certificate.extensions.subjectKeyIdentifier?.keyIdentifier
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.clientAuth])
            SubjectKeyIdentifier(keyIdentifier: identifier)
            AuthorityKeyIdentifier(keyIdentifier: issuer)
        }
        for name in DeviceCertificateExtension.allCases {
            let content =
                switch name {
                case .deviceID: subject.device.littleEndianBytes
                case .userObjectID: subject.user.littleEndianBytes
                case .tenantID: subject.tenant.littleEndianBytes
                case .joinType: Array((subject.joinType == .join ? "1" : "0").utf8)
                case .region: Array(subject.region.utf8)
                }
            var value = DER.Serializer()
            try value.serialize(ASN1OctetString(contentBytes: content[...]))
            try extensions.append(
                Certificate.Extension(
                    oid: ASN1ObjectIdentifier(elements: name.arcs), critical: false, value: value.serializedBytes[...]))
        }
        return extensions
    }

    /// Returns the organisation that a certificate names. Nothing in the certificate is verified; the caller must look
    /// the certificate up.
    static func tenant(namedBy certificate: [UInt8]) -> TenantID? {
        guard certificate.count <= 16 * 1024, let parsed = try? Certificate(derEncoded: certificate),
            let oid = try? ASN1ObjectIdentifier(elements: DeviceCertificateExtension.tenantID.arcs),
            let value = parsed.extensions[oid: oid]?.value, value.count == 18, value.starts(with: [4, 16])
        else { return nil }
        return TenantID(littleEndianBytes: Array(value.dropFirst(2)))
    }

    private func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}

extension Timestamp {
    /// The time as a `Date`, in whole seconds.
    var date: Date { Date(timeIntervalSince1970: Double(seconds)) }
}

extension ID {
    /// The bytes in the order that Microsoft uses, with each of the first three groups reversed.
    var littleEndianBytes: [UInt8] {
        let bytes = bytes
        return bytes[0..<4].reversed() + bytes[4..<6].reversed() + bytes[6..<8].reversed() + bytes[8..<16]
    }

    /// Creates the identifier from 16 bytes in the order of ``littleEndianBytes``.
    init(littleEndianBytes bytes: [UInt8]) {
        self.init(bytes: ID(bytes: bytes).littleEndianBytes)
    }
}
