// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras
internal import SwiftASN1
internal import X509

/// A PKCS#10 request (RFC 2986) whose signature has been verified with the key that it contains. The key is RSA with
/// 2048 to 4096 bits, or P-256. The request's subject is ignored, because the server assigns the device's name.
package struct DeviceKeyRequest: Sendable {
    package let key: VerificationKey
    /// The nonce that the client copied from the nonce service (extension `1.2.840.113556.1.5.284.2.1`); nil if the
    /// request contains none.
    package let nonce: String?

    /// Reads and checks a request of at most 8 KiB in DER format.
    ///
    /// - Throws: ``JOSEFailure``; `unusableKey` for a key of a different type or size.
    package init(decoding der: [UInt8]) throws(JOSEFailure) {
        guard der.count <= 8 * 1024 else { throw .overLimit }
        guard let request = try? CertificateSigningRequest(derEncoded: der) else { throw .malformed }
        if let rsa = _RSA.Signing.PublicKey(request.publicKey), (2048...4096).contains(rsa.keySizeInBits) {
            key = .rsa(rsa)
        } else if let curve = P256.Signing.PublicKey(request.publicKey) {
            key = .p256(curve)
        } else {
            throw .unusableKey
        }
        guard Self.algorithms.contains(request.signatureAlgorithm) else { throw .unsupported }
        guard request.publicKey.isValidSignature(request.signature, for: request) else { throw .wrongSignature }
        nonce = try Self.nonce(of: request)
    }

    private static let algorithms: Set<Certificate.SignatureAlgorithm> = [
        .sha256WithRSAEncryption, .sha384WithRSAEncryption, .sha512WithRSAEncryption, .ecdsaWithSHA256,
    ]

    /// Returns the nonce in the request's extensions, written as plain text or inside an OCTET STRING or a string type.
    private static func nonce(of request: CertificateSigningRequest) throws(JOSEFailure) -> String? {
        let extensions: Certificate.Extensions?
        do { extensions = try request.attributes.extensionRequest?.extensions } catch { throw .malformed }
        guard let value = extensions?[oid: nonceIdentifier]?.value else { return nil }
        let strings: [ASN1Identifier] = [.octetString, .utf8String, .ia5String, .printableString]
        var text = value
        if let node = try? DER.parse(value), strings.contains(node.identifier),
            case .primitive(let bytes) = node.content
        {
            text = bytes
        }
        guard text.count <= 256, let nonce = String(validating: text, as: UTF8.self) else { throw .malformed }
        return nonce
    }

    private static let nonceIdentifier: ASN1ObjectIdentifier = [1, 2, 840, 113556, 1, 5, 284, 2, 1]
}
