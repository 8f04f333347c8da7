// SPDX-License-Identifier: Apache-2.0
internal import CTSS
internal import DeviceKeyStore

/// One connection to the TPM: the contexts of the TPM2 Software Stack, and the objects that are loaded during the
/// connection.
///
/// Use it on one thread only. Its owner must call ``end()``.
@safe final class Conversation {
    private var connection: OpaquePointer?
    private(set) var context: OpaquePointer?
    /// The handles to flush at the end; a TPM has three slots for keys.
    private var loaded: [ESYS_TR] = []
    /// The storage key, the parent of all of Baton's objects.
    private(set) var storage: ESYS_TR = ESYS_TR_NONE

    /// Connects, and has the TPM derive the storage key.
    ///
    /// - Parameter isAlone: whether there are no other users, so that objects loaded in the TPM can only be leftovers.
    /// - Throws: `unavailable` if there is no TPM, `owned` if its owner hierarchy has an authorization.
    init(_ configuration: String, isAlone: Bool) throws(TrustedPlatformFailure) {
        do throws(TrustedPlatformFailure) {
            let found = unsafe Tss2_TctiLdr_Initialize(configuration, &connection)
            guard found == TSS2_RC_SUCCESS else { throw .unavailable(cause: "\(configuration) cannot be opened") }
            try unsafe Self.check(Esys_Initialize(&context, connection, nil))
            if isAlone { try flushLeftovers() }
            storage = try makeStorageKey()
        } catch {
            end()
            throw error
        }
    }

    /// Flushes all loaded objects and disconnects. Further calls do nothing.
    func end() {
        for handle in loaded.reversed() { _ = unsafe Esys_FlushContext(context, handle) }
        loaded = []
        if unsafe context != nil { unsafe Esys_Finalize(&context) }
        if unsafe connection != nil { unsafe Tss2_TctiLdr_Finalize(&connection) }
    }

    deinit { end() }

    /// - Throws: the failure that corresponds to the library's code.
    static func check(_ code: TSS2_RC) throws(TrustedPlatformFailure) {
        guard code != TSS2_RC_SUCCESS else { return }
        throw TrustedPlatformFailure(ResponseCode(code))
    }

    /// Returns the value that the library allocated, and frees the allocation.
    static func take<T>(_ pointer: UnsafeMutablePointer<T>?) throws(TrustedPlatformFailure) -> T {
        guard let pointer = unsafe pointer else { throw .unavailable(cause: "the TPM library gave no answer") }
        defer { unsafe Esys_Free(pointer) }
        return unsafe pointer.pointee
    }

    /// Registers `handle` to be flushed at the end.
    func keep(_ handle: ESYS_TR) -> ESYS_TR {
        loaded.append(handle)
        return handle
    }

    private func makeStorageKey() throws(TrustedPlatformFailure) -> ESYS_TR {
        var (nothing, template, noData, noSelection) = (
            TPM2B_SENSITIVE_CREATE(), KeyTemplate.storage, TPM2B_DATA(), TPML_PCR_SELECTION()
        )
        var handle = ESYS_TR_NONE
        let code = unsafe Esys_CreatePrimary(
            context, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &nothing, &template, &noData,
            &noSelection, &handle, nil, nil, nil, nil)
        guard !ResponseCode(code).isWrongAuthorization else { throw .owned }
        try Self.check(code)
        return keep(handle)
    }

    /// Starts a session that encrypts secrets in transit, salted with the storage key.
    ///
    /// - Parameter encrypting: which parts are encrypted: the first parameter of a command, the first parameter of its
    ///   response, or both.
    func session(encrypting: TPMA_SESSION) throws(TrustedPlatformFailure) -> ESYS_TR {
        var cipher = TPMT_SYM_DEF()
        cipher.algorithm = TPM2_ALG_AES
        unsafe cipher.keyBits.aes = 128
        unsafe cipher.mode.aes = TPM2_ALG_CFB
        var handle = ESYS_TR_NONE
        try unsafe Self.check(
            Esys_StartAuthSession(
                context, storage, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, nil,
                TPM2_SE(TPM2_SE_HMAC), &cipher, TPM2_ALG_SHA256, &handle))
        _ = keep(handle)
        try unsafe Self.check(
            Esys_TRSess_SetAttributes(context, handle, encrypting | TPMA_SESSION_CONTINUESESSION, 0xff))
        return handle
    }

    /// Flushes the keys and sessions that a killed process left behind.
    private func flushLeftovers() throws(TrustedPlatformFailure) {
        for kind in [TPM2_HT_TRANSIENT, TPM2_HT_HMAC_SESSION] {
            var more: TPMI_YES_NO = 0
            var answer: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?
            try unsafe Self.check(
                Esys_GetCapability(
                    context, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, TPM2_CAP_HANDLES, UInt32(kind) << 24, 64, &more,
                    &answer))
            var list = unsafe try Self.take(answer).data.handles
            let count = Int(min(list.count, 64))
            let left = unsafe withUnsafeBytes(of: &list.handle) { bytes in
                (0..<count).map { unsafe bytes.load(fromByteOffset: $0 * 4, as: TPM2_HANDLE.self) }
            }
            for number in left {
                var handle = ESYS_TR_NONE
                try unsafe Self.check(
                    Esys_TR_FromTPMPublic(context, number, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &handle))
                try unsafe Self.check(Esys_FlushContext(context, handle))
            }
        }
    }
}
