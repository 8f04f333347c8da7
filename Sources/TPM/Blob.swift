// SPDX-License-Identifier: Apache-2.0
internal import CTSS
internal import DeviceKeyStore

/// The part of a TPM object that is stored outside the TPM, in the format of the TPM2 Software Stack: the public area,
/// then the private area, which the TPM has encrypted for itself (TPM 2.0 library, part 2, sections 12.2.5 and
/// 12.3.7).
struct Blob {
    var published: TPM2B_PUBLIC
    var sealed: TPM2B_PRIVATE

    private static let limit = MemoryLayout<TPM2B_PUBLIC>.size + MemoryLayout<TPM2B_PRIVATE>.size

    /// - Throws: `foreign` if the bytes are not a blob.
    init(_ bytes: [UInt8]) throws(TrustedPlatformFailure) {
        (published, sealed) = (TPM2B_PUBLIC(), TPM2B_PRIVATE())
        guard bytes.count <= Self.limit else { throw .foreign }
        var offset = 0
        for code in [
            unsafe Tss2_MU_TPM2B_PUBLIC_Unmarshal(bytes, bytes.count, &offset, &published),
            unsafe Tss2_MU_TPM2B_PRIVATE_Unmarshal(bytes, bytes.count, &offset, &sealed),
        ] where code != TSS2_RC_SUCCESS { throw .foreign }
        guard offset == bytes.count else { throw .foreign }
    }

    init(_ published: TPM2B_PUBLIC, _ sealed: TPM2B_PRIVATE) { (self.published, self.sealed) = (published, sealed) }

    func encoded() throws(TrustedPlatformFailure) -> [UInt8] {
        var (published, sealed) = (published, sealed)
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        var offset = 0
        try unsafe Conversation.check(Tss2_MU_TPM2B_PUBLIC_Marshal(&published, &bytes, bytes.count, &offset))
        try unsafe Conversation.check(Tss2_MU_TPM2B_PRIVATE_Marshal(&sealed, &bytes, bytes.count, &offset))
        return Array(bytes.prefix(offset))
    }
}
