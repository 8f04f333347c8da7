// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import SwiftASN1
@_spi(CMS) internal import X509

/// A profile inside a CMS signature (RFC 5652), as configuration tools write it.
///
/// The signature must match the certificate that comes with it. Whether the certificate is trusted is not checked,
/// because an administrator may also add unsigned profiles.
struct SignedProfile {
    /// The profile itself.
    let content: [UInt8]
    /// The subject of the signer's certificate.
    private let signer: String

    /// The note for the administrator.
    var note: String {
        """
        note profile_signed: the profile is signed by \(signer). The signature is valid; whether that certificate is \
        trusted was not checked. Devices get the content without the signature.
        """
    }

    /// Returns whether the bytes begin like a CMS signature and not like a property list.
    static func isSigned(_ bytes: [UInt8]) -> Bool { bytes.first == 0x30 }

    /// Parses a signed profile and checks its signature.
    ///
    /// - Throws: ``MDMAdminRefusal`` `badSignature`.
    init(_ bytes: [UInt8]) throws {
        let message: SignedMessage
        do { message = try SignedMessage(bytes) } catch {
            throw MDMAdminRefusal(
                .badSignature, detail: "The file is not a profile signed with one certificate that it contains.")
        }
        guard message.isGood else {
            throw MDMAdminRefusal(
                .badSignature,
                detail: "The signature was not made by \(message.certificate.subject), or its algorithm does not use "
                    + "SHA-2.")
        }
        (content, signer) = (Array(message.content), "\(message.certificate.subject)")
    }
}

/// A signed message with its content and one signer (RFC 5652 section 5).
///
/// The library parses certificates and signers. Its own verification is not used, because it does not accept all
/// algorithm identifiers that OpenSSL writes.
private struct SignedMessage {
    let content: ArraySlice<UInt8>
    let certificate: Certificate
    private let digestAlgorithm: ASN1ObjectIdentifier
    private let signatureAlgorithm: ASN1ObjectIdentifier
    /// The signed attributes, if any. If there are any, the signature covers them instead of the content; they contain
    /// the content's digest.
    private let attributes: ASN1Node?
    private let signature: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) throws {
        let signers = try CMSSignature(berEncoded: bytes).signers
        guard signers.count == 1 else { throw CMS.Error.unexpectedCMSType }
        certificate = signers[0].certificate
        let (content, signer) = try BER.sequence(try BER.parse(bytes), identifier: .sequence) { outer in
            _ = try ASN1ObjectIdentifier(berEncoded: &outer)
            return try BER.explicitlyTagged(&outer, tagNumber: 0, tagClass: .contextSpecific, Self.parts)
        }
        var fields = try Self.children(signer)
        // The version and the signer's name come before the digest algorithm.
        _ = (fields.next(), fields.next())
        digestAlgorithm = try Self.algorithm(fields.next())
        var next = fields.next()
        let tag = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
        attributes = next?.identifier == tag ? next : nil
        if attributes != nil { next = fields.next() }
        signatureAlgorithm = try Self.algorithm(next)
        signature = try ASN1OctetString(berEncoded: &fields).bytes
        self.content = content
    }

    /// Returns the content and the only signer of `SignedData`.
    private static func parts(of signedData: ASN1Node) throws -> (ArraySlice<UInt8>, ASN1Node) {
        var fields = try children(signedData)
        // The version and the digest algorithms come before the content; certificates come between the content and the
        // signers.
        _ = (fields.next(), fields.next())
        var encapsulated = try children(fields.next())
        _ = try ASN1ObjectIdentifier(berEncoded: &encapsulated)
        let content = try BER.explicitlyTagged(&encapsulated, tagNumber: 0, tagClass: .contextSpecific) {
            try ASN1OctetString(berEncoded: $0).bytes
        }
        var last: ASN1Node?
        while let field = fields.next() { last = field }
        var signers = try children(last)
        guard let signer = signers.next(), signers.next() == nil else { throw CMS.Error.unexpectedCMSType }
        return (content, signer)
    }

    private static func children(_ node: ASN1Node?) throws -> ASN1NodeCollection.Iterator {
        guard case .constructed(let nodes)? = node?.content else { throw CMS.Error.unexpectedCMSType }
        return nodes.makeIterator()
    }

    private static func algorithm(_ node: ASN1Node?) throws -> ASN1ObjectIdentifier {
        var fields = try children(node)
        return try ASN1ObjectIdentifier(berEncoded: &fields)
    }

    /// Whether the certificate's key signed the content with a SHA-2 algorithm.
    var isGood: Bool {
        guard let (digest, rsa, ecdsa) = hashed,
            let algorithm = Self.rsa.contains(signatureAlgorithm)
                ? rsa : Self.ecdsa.contains(signatureAlgorithm) ? ecdsa : nil
        else { return false }
        guard let attributes else {
            return certificate.publicKey.isValidSignature(signature, for: content, signatureAlgorithm: algorithm)
        }
        // The attributes are signed with the tag of a set (section 5.4).
        let signed = [0x31] + attributes.encodedBytes.dropFirst()
        return (try? Self.messageDigest(in: attributes)) == digest
            && certificate.publicKey.isValidSignature(signature, for: signed, signatureAlgorithm: algorithm)
    }

    /// The digest of the content, and the signature algorithms that use this digest.
    private var hashed: (digest: [UInt8], rsa: Certificate.SignatureAlgorithm, ecdsa: Certificate.SignatureAlgorithm)? {
        switch digestAlgorithm {
        case [2, 16, 840, 1, 101, 3, 4, 2, 1]:
            (Array(SHA256.hash(data: content)), .sha256WithRSAEncryption, .ecdsaWithSHA256)
        case [2, 16, 840, 1, 101, 3, 4, 2, 2]:
            (Array(SHA384.hash(data: content)), .sha384WithRSAEncryption, .ecdsaWithSHA384)
        case [2, 16, 840, 1, 101, 3, 4, 2, 3]:
            (Array(SHA512.hash(data: content)), .sha512WithRSAEncryption, .ecdsaWithSHA512)
        default: nil
        }
    }

    /// `rsaEncryption`, which allows any digest (RFC 3370 section 3.2), and its SHA-2 forms.
    private static let rsa: Set<ASN1ObjectIdentifier> = [
        [1, 2, 840, 113549, 1, 1, 1], [1, 2, 840, 113549, 1, 1, 11], [1, 2, 840, 113549, 1, 1, 12],
        [1, 2, 840, 113549, 1, 1, 13],
    ]
    /// `ecPublicKey`, as macOS writes it, and ECDSA with SHA-2.
    private static let ecdsa: Set<ASN1ObjectIdentifier> = [
        [1, 2, 840, 10045, 2, 1], [1, 2, 840, 10045, 4, 3, 2], [1, 2, 840, 10045, 4, 3, 3],
        [1, 2, 840, 10045, 4, 3, 4],
    ]

    private static func messageDigest(in attributes: ASN1Node) throws -> [UInt8]? {
        var all = try children(attributes)
        while let attribute = all.next() {
            var fields = try children(attribute)
            guard try ASN1ObjectIdentifier(berEncoded: &fields) == [1, 2, 840, 113549, 1, 9, 4] else { continue }
            var values = try children(fields.next())
            return Array(try ASN1OctetString(berEncoded: &values).bytes)
        }
        return nil
    }
}
