// SPDX-License-Identifier: Apache-2.0
internal import CTSS
internal import DeviceKeyStore

/// The device's counter in the TPM's own memory (TPM 2.0 library, part 1, section 37.2.5). It never goes down, even if
/// it is removed and created again.
extension Conversation {
    /// An index in the owner's range (TCG registry of reserved handles, section 2.2).
    private static let index: TPM2_HANDLE = 0x01a5_b470
    private static let length: UInt16 = 8
    private static let attributes =
        TPMA_NV_AUTHREAD | TPMA_NV_AUTHWRITE | TPMA_NV_NO_DA | UInt32(TPM2_NT_COUNTER) << TPMA_NV_TPM2_NT_SHIFT

    func counter() throws(TrustedPlatformFailure) -> UInt64? {
        guard let handle = try counterHandle() else { return nil }
        return try read(handle)
    }

    func advanceCounter() throws(TrustedPlatformFailure) -> UInt64 {
        let handle = if let handle = try counterHandle() { handle } else { try defineCounter() }
        try unsafe Self.check(
            Esys_NV_Increment(context, handle, handle, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE))
        guard let value = try read(handle) else { throw .foreign }
        return value
    }

    /// - Throws: `foreign` if the index is not a counter, because the value of another kind of index could be
    ///   decreased.
    private func counterHandle() throws(TrustedPlatformFailure) -> ESYS_TR? {
        var handle = ESYS_TR_NONE
        let code = unsafe Esys_TR_FromTPMPublic(
            context, Self.index, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &handle)
        if ResponseCode(code).isMissing { return nil }
        try Self.check(code)
        var answer: UnsafeMutablePointer<TPM2B_NV_PUBLIC>?
        try unsafe Self.check(
            Esys_NV_ReadPublic(context, handle, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &answer, nil))
        let area = try unsafe Self.take(answer).nvPublic
        guard area.attributes & ~TPMA_NV_WRITTEN == Self.attributes else { throw .foreign }
        return handle
    }

    /// Returns the value; nil if the counter was never incremented.
    private func read(_ handle: ESYS_TR) throws(TrustedPlatformFailure) -> UInt64? {
        var answer: UnsafeMutablePointer<TPM2B_MAX_NV_BUFFER>?
        let code = unsafe Esys_NV_Read(
            context, handle, handle, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, Self.length, 0, &answer)
        if ResponseCode(code).isUninitialized { return nil }
        try Self.check(code)
        let bytes = try unsafe Self.take(answer).bytes
        guard bytes.count == Int(Self.length) else { throw .foreign }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func defineCounter() throws(TrustedPlatformFailure) -> ESYS_TR {
        var (noAuthorization, space) = (TPM2B_AUTH(), TPM2B_NV_PUBLIC())
        space.nvPublic.nvIndex = Self.index
        space.nvPublic.nameAlg = TPM2_ALG_SHA256
        space.nvPublic.attributes = Self.attributes
        space.nvPublic.dataSize = Self.length
        var handle = ESYS_TR_NONE
        let code = unsafe Esys_NV_DefineSpace(
            context, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &noAuthorization, &space, &handle)
        guard !ResponseCode(code).isWrongAuthorization else { throw .owned }
        try Self.check(code)
        return handle
    }
}
