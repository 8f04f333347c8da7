// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
package import OAuth
internal import SwiftASN1
internal import X509

/// A device's statement, signed with the device's directory key, that a receipt key belongs to the device. There is one
/// statement for each join.
package struct KeyStatement: Sendable, Equatable {
    package let tenant: String
    package let device: String
    /// The receipt key.
    package let key: JSONWebKey
    /// When the statement was made, in seconds since 1970 by the device's clock.
    package let at: Int
    /// The device certificate, DER.
    package let certificate: [UInt8]

    package init(tenant: String, device: String, key: JSONWebKey, at: Int, certificate: [UInt8]) {
        self.tenant = tenant
        self.device = device
        self.key = key
        self.at = at
        self.certificate = certificate
    }

    /// Returns the line, signed with the device key.
    ///
    /// - Throws: the error of the cryptography library.
    package func signed(with deviceKey: SigningKey) throws -> SignedLine {
        var body = MembersWriter()
        body.set(ReceiptName.type, LineType.key)
        body.set(ReceiptName.version, 1)
        body.set(ReceiptName.tenant, tenant)
        body.set(ReceiptName.device, device)
        body.set(ReceiptName.key, key.canonical)
        body.set(ReceiptName.at, at)
        body.set(ReceiptName.certificate, Base64.encode(certificate))
        return try SignedLine(body, signedWith: deviceKey)
    }

    /// Reads a line. Checks that it is signed with the key of the certificate in it, and that the certificate names the
    /// device.
    ///
    /// This does not check who issued the certificate: see ``isIssued(by:)``.
    ///
    /// - Throws: ``ReceiptFailure``, ``MembersFailure``, ``JOSEFailure``, or the certificate library's error if the
    ///   certificate cannot be parsed.
    package init(_ line: SignedLine) throws {
        try line.confirm(LineType.key)
        guard let key = try line.members.members(ReceiptName.key) else { throw ReceiptFailure.malformed }
        self.init(
            tenant: try line.members.string(ReceiptName.tenant), device: try line.members.string(ReceiptName.device),
            key: try JSONWebKey(key), at: try line.members.integer(ReceiptName.at),
            certificate: try Base64.decode(try line.members.string(ReceiptName.certificate)))
        let certificate = try Certificate(derEncoded: certificate)
        guard certificate.commonName == device else { throw ReceiptFailure.wrongCertificate }
        guard line.isSigned(by: try VerificationKey(certificate)) else { throw JOSEFailure.wrongSignature }
    }

    /// Whether `authority` (DER) issued the device certificate, and the certificate was valid when the statement was
    /// made.
    package func isIssued(by authority: [UInt8]) -> Bool {
        guard let authority = try? Certificate(derEncoded: authority),
            let certificate = try? Certificate(derEncoded: certificate)
        else { return false }
        let time = Date(timeIntervalSince1970: Double(at))
        return certificate.issuer == authority.subject
            && authority.publicKey.isValidSignature(certificate.signature, for: certificate)
            && certificate.notValidBefore <= time && time <= certificate.notValidAfter
    }
}

extension VerificationKey {
    fileprivate init(_ certificate: Certificate) throws {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate.publicKey)
        try self.init(publicKeyInfo: serializer.serializedBytes)
    }
}

extension Certificate {
    /// The common name of the subject; empty if there is none.
    fileprivate var commonName: String {
        for relative in subject {
            for attribute in relative where attribute.type == .RDNAttributeType.commonName {
                return String(attribute.value) ?? ""
            }
        }
        return ""
    }
}
