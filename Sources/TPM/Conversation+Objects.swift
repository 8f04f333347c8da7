// SPDX-License-Identifier: Apache-2.0
internal import CTSS
internal import DeviceKeyStore
internal import Redaction

extension Conversation {
    /// Creates an object under the storage key.
    ///
    /// - Parameter content: the object's content; if nil, the TPM generates it.
    func make(
        _ template: TPM2B_PUBLIC, content: SecretBytes? = nil, authorization: SecretBytes? = nil
    ) throws(TrustedPlatformFailure) -> Blob {
        var (template, noData, noSelection) = (template, TPM2B_DATA(), TPML_PCR_SELECTION())
        var sensitive = TPM2B_SENSITIVE_CREATE()
        defer { wipe(&sensitive) }
        if let content {
            sensitive.sensitive.data = try content.withBytes { bytes throws(TrustedPlatformFailure) in
                try TPM2B_SENSITIVE_DATA(bytes)
            }
        }
        sensitive.sensitive.userAuth = try Self.value(of: authorization)
        let session = try session(encrypting: TPMA_SESSION_DECRYPT)
        var sealed: UnsafeMutablePointer<TPM2B_PRIVATE>?
        var published: UnsafeMutablePointer<TPM2B_PUBLIC>?
        try unsafe Self.check(
            Esys_Create(
                context, storage, session, ESYS_TR_NONE, ESYS_TR_NONE, &sensitive, &template, &noData, &noSelection,
                &sealed, &published, nil, nil, nil))
        let half = Result { () throws(TrustedPlatformFailure) in try unsafe Self.take(sealed) }
        return Blob(try unsafe Self.take(published), try half.get())
    }

    /// Loads an object for the rest of the conversation.
    ///
    /// - Throws: `foreign` if another TPM created it or it was changed.
    func load(_ blob: Blob) throws(TrustedPlatformFailure) -> ESYS_TR {
        var (published, sealed) = (blob.published, blob.sealed)
        var handle = ESYS_TR_NONE
        let code = unsafe Esys_Load(
            context, storage, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &sealed, &published, &handle)
        guard code == TSS2_RC_SUCCESS else {
            // Whatever reason the TPM gives for refusing the object, the cause is that another TPM created the object
            // or that the object was changed.
            if case .refused = TrustedPlatformFailure(ResponseCode(code)) { throw .foreign }
            throw TrustedPlatformFailure(ResponseCode(code))
        }
        return keep(handle)
    }

    /// The authorization in the format that the TPM uses, without trailing zeros (TPM 2.0 library, part 1, section
    /// 19.6.4.3).
    static func value(of authorization: SecretBytes?) throws(TrustedPlatformFailure) -> TPM2B_AUTH {
        guard let authorization else { return TPM2B_AUTH() }
        var value = try authorization.withBytes { bytes throws(TrustedPlatformFailure) in try TPM2B_AUTH(bytes) }
        guard value.size <= 32 else { throw .tooLong }
        value.size -= UInt16(value.bytes.reversed().prefix { $0 == 0 }.count)
        // An empty authorization would admit anyone.
        guard value.size > 0 else { throw .wrongAuthorization }
        return value
    }

    func seal(_ secret: SecretBytes, authorization: SecretBytes?) throws(TrustedPlatformFailure) -> [UInt8] {
        guard secret.count <= Int(TPM2_MAX_SYM_DATA) else { throw .tooLong }
        return try make(
            KeyTemplate.sealed(isAuthorized: authorization != nil), content: secret, authorization: authorization
        ).encoded()
    }

    func unseal(_ blob: [UInt8], authorization: SecretBytes?) throws(TrustedPlatformFailure) -> SecretBytes {
        let item = try load(Blob(blob))
        var value = try Self.value(of: authorization)
        defer { wipe(&value) }
        try unsafe Self.check(Esys_TR_SetAuth(context, item, &value))
        let session = try session(encrypting: TPMA_SESSION_ENCRYPT)
        var content: UnsafeMutablePointer<TPM2B_SENSITIVE_DATA>?
        try unsafe Self.check(Esys_Unseal(context, item, session, ESYS_TR_NONE, ESYS_TR_NONE, &content))
        return try unsafe takeSecret(content)
    }
}
