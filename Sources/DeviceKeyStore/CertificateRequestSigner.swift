// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
package import OAuth
internal import SwiftASN1
package import X509

extension Certificate.PublicKey {
    /// - Throws: ``JOSEFailure`` for a symmetric key.
    package init(_ key: VerificationKey) throws(JOSEFailure) {
        switch key {
        case .rsa(let key), .rsaPSS(let key): self.init(key)
        case .p256(let key): self.init(key)
        case .symmetric: throw .unusableKey
        }
    }
}

extension Certificate.PrivateKey {
    /// Creates a key that signs certificate requests, whether the key is in a file or in the TPM.
    ///
    /// - Throws: ``JOSEFailure`` for a symmetric key.
    package init(_ key: SigningKey) throws(JOSEFailure) {
        switch key {
        case .rsa(let key): self.init(key)
        case .p256(let key): self.init(key)
        case .held(let key): self.init(CertificateRequestSigner(key: key, publicKey: try .init(key.verification)))
        case .symmetric: throw .unusableKey
        }
    }
}

/// A wrapper with which the certificates library signs with an RSA key that is held elsewhere.
private struct CertificateRequestSigner: CustomPrivateKey {
    let key: any HeldSigningKey
    let publicKey: Certificate.PublicKey

    static let defaultPEMDiscriminator = "PRIVATE KEY"

    var defaultSignatureAlgorithm: Certificate.SignatureAlgorithm { .sha256WithRSAEncryption }
    var supportedSignatureAlgorithms: [Certificate.SignatureAlgorithm] { [.sha256WithRSAEncryption] }

    func signSynchronously(
        bytes: some DataProtocol, signatureAlgorithm: Certificate.SignatureAlgorithm
    ) throws -> Certificate.Signature {
        guard signatureAlgorithm == .sha256WithRSAEncryption else { throw JOSEFailure.unsupported }
        let signature = try key.signature(for: Array(bytes))
        return try Certificate.Signature(
            signatureAlgorithm: signatureAlgorithm, signatureBytes: ASN1BitString(bytes: signature[...]))
    }

    /// Always throws: the private key cannot be exported.
    func serialize(into coder: inout DER.Serializer) throws { throw JOSEFailure.unusableKey }

    static func == (left: CertificateRequestSigner, right: CertificateRequestSigner) -> Bool {
        left.publicKey == right.publicKey
    }
    func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
}

extension Certificate {
    /// The subject's first common name; empty if there is none.
    package var commonName: String {
        for relative in subject {
            for attribute in relative where attribute.type == .RDNAttributeType.commonName {
                return String(attribute.value) ?? ""
            }
        }
        return ""
    }
}
