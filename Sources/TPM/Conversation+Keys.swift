// SPDX-License-Identifier: Apache-2.0
internal import CTSS
internal import DeviceKeyStore
internal import Redaction

extension Conversation {
    private static let coordinate = 32

    func makeKey(_ kind: TPMKey.Kind) throws(TrustedPlatformFailure) -> TPMKey {
        let blob = try make(KeyTemplate.key(kind))
        let unique = blob.published.publicArea.unique
        let published: [UInt8]
        switch kind {
        case .rsaSigning, .rsaDecryption: published = unsafe unique.rsa.bytes
        case .p256Signing:
            published = unsafe Self.padded(unique.ecc.x.bytes) + Self.padded(unique.ecc.y.bytes)
        }
        return TPMKey(kind: kind, published: published, blob: try blob.encoded())
    }

    func sign(_ digest: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> [UInt8] {
        let handle = try load(Blob(key.blob))
        var hash = try TPM2B_DIGEST(digest)
        // Uses the key's own scheme. The digest need not come from the TPM, because these keys sign any digest.
        var scheme = TPMT_SIG_SCHEME()
        scheme.scheme = TPM2_ALG_NULL
        var ticket = TPMT_TK_HASHCHECK()
        (ticket.tag, ticket.hierarchy) = (TPM2_ST_HASHCHECK, TPM2_RH_NULL)
        var answer: UnsafeMutablePointer<TPMT_SIGNATURE>?
        try unsafe Self.check(
            Esys_Sign(
                context, handle, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &hash, &scheme, &ticket, &answer))
        let signature = try unsafe Self.take(answer)
        switch (key.kind, signature.sigAlg) {
        case (.rsaSigning, TPM2_ALG_RSASSA): return unsafe signature.signature.rsassa.sig.bytes
        case (.p256Signing, TPM2_ALG_ECDSA):
            let pair = unsafe signature.signature.ecdsa
            return Self.padded(pair.signatureR.bytes) + Self.padded(pair.signatureS.bytes)
        default: throw .foreign
        }
    }

    func decrypt(_ encrypted: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> SecretBytes {
        let handle = try load(Blob(key.blob))
        var (cipher, label) = (try TPM2B_PUBLIC_KEY_RSA(encrypted), TPM2B_DATA())
        var scheme = TPMT_RSA_DECRYPT()
        scheme.scheme = TPM2_ALG_NULL
        let session = try session(encrypting: TPMA_SESSION_ENCRYPT)
        var content: UnsafeMutablePointer<TPM2B_PUBLIC_KEY_RSA>?
        let code = unsafe Esys_RSA_Decrypt(
            context, handle, session, ESYS_TR_NONE, ESYS_TR_NONE, &cipher, &scheme, &label, &content)
        // If the ciphertext cannot be decrypted, swtpm reports a failure of the TPM. Such a failure counts as a refusal
        // here, because the TPM worked just before.
        if ResponseCode(code).isOutOfOrder { throw .refused(code: code) }
        try Self.check(code)
        return try unsafe takeSecret(content)
    }

    /// Pads a number to 32 bytes; the TPM may omit leading zeros.
    private static func padded(_ number: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: max(0, coordinate - number.count)) + number
    }
}
