// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras
internal import SwiftASN1
internal import X509

/// A PKCS#10 request (RFC 2986) whose signer was found to hold the key that it asks to be certified: RSA of 2048 to 4096
/// bits, or P-256. Its names are not looked at: the server gives the device its name.
package struct DeviceKeyRequest: Sendable {
    package let key: VerificationKey
    /// What a client copies from the nonce service (`1.2.840.113556.1.5.284.2.1`); nil where it did not.
    package let nonce: String?

    /// Reads and checks a request of at most 8 KiB, DER.
    ///
    /// - Throws: ``JOSEFailure``; `unusableKey` for a key of another kind or size.
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

    /// The nonce of the request's extensions: text as it is, or inside an OCTET STRING or a string type.
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
