// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import CTSS
internal import DeviceKeyStore
internal import Redaction

/// A structure of the TPM2 Software Stack that consists of a size and a buffer.
protocol SizedBytes {
    associatedtype Buffer
    var size: UInt16 { get set }
    var buffer: Buffer { get set }
    init()
}

extension TPM2B_DIGEST: SizedBytes {}
extension TPM2B_SENSITIVE_DATA: SizedBytes {}
extension TPM2B_PUBLIC_KEY_RSA: SizedBytes {}
extension TPM2B_ECC_PARAMETER: SizedBytes {}
extension TPM2B_MAX_NV_BUFFER: SizedBytes {}

extension SizedBytes {
    /// - Throws: `refused` with the library's code for a wrong size if `bytes` do not fit.
    init(_ bytes: RawSpan) throws(TrustedPlatformFailure) {
        self.init()
        guard bytes.byteCount <= MemoryLayout<Buffer>.size else { throw .tooLong }
        size = UInt16(bytes.byteCount)
        unsafe withUnsafeMutableBytes(of: &buffer) { buffer in
            unsafe bytes.withUnsafeBytes { bytes in unsafe buffer.copyMemory(from: bytes) }
        }
    }

    init(_ bytes: [UInt8]) throws(TrustedPlatformFailure) {
        try unsafe self.init(bytes.span.bytes)
    }

    /// The bytes of the buffer, up to `size`.
    var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: buffer) { unsafe Array($0.prefix(Int(size))) }
    }
}

extension TrustedPlatformFailure {
    static var tooLong: Self { .refused(code: TPM2_RC_FMT1 + 0x015) }
}

/// Moves a secret out of memory that the TPM2 Software Stack allocated, then overwrites and frees that memory.
func takeSecret<Sized: SizedBytes>(
    _ pointer: UnsafeMutablePointer<Sized>?
) throws(TrustedPlatformFailure) -> SecretBytes {
    guard let pointer = unsafe pointer else { throw .unavailable(cause: "the TPM library gave no answer") }
    defer {
        unsafe clinux_wipe(pointer, MemoryLayout<Sized>.size)
        unsafe Esys_Free(pointer)
    }
    let count = unsafe min(Int(pointer.pointee.size), MemoryLayout<Sized.Buffer>.size)
    return unsafe withUnsafeBytes(of: &pointer.pointee.buffer) { unsafe SecretBytes(copying: $0.prefix(count)) }
}

/// Overwrites a structure that contained a secret.
func wipe<T>(_ value: inout T) {
    unsafe withUnsafeMutableBytes(of: &value) { unsafe clinux_wipe($0.baseAddress, $0.count) }
}
