// SPDX-License-Identifier: Apache-2.0
internal import CLinux

/// Secret bytes. They are kept in one place, never printed, and overwritten when the last reference is released.
///
/// This is a class, so that a secret is never copied when it is passed on. Do not keep copies of the bytes from
/// ``withBytes(_:)``.
@safe package final class SecretBytes: Sendable {
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    /// Makes a secret of `count` bytes, which `fill` writes.
    package init<E: Error>(count: Int, fill: (inout MutableRawSpan) throws(E) -> Void) throws(E) {
        unsafe storage = .allocate(byteCount: count, alignment: 16)
        unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
        var span = unsafe storage.mutableBytes
        try fill(&span)
    }

    /// Makes a secret with a copy of `bytes`. The caller must overwrite its own array.
    package convenience init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { span in
            for (offset, byte) in bytes.enumerated() {
                span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    /// Copies `bytes` into a new secret and overwrites the original.
    package convenience init(consuming bytes: inout [UInt8]) {
        self.init(copying: bytes)
        wipe(&bytes)
    }

    deinit {
        unsafe clinux_wipe(storage.baseAddress, storage.count)
        unsafe storage.deallocate()
    }

    /// The number of bytes.
    package var count: Int { unsafe storage.count }

    /// Gives access to the bytes during the call.
    package func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try body(unsafe storage.bytes)
    }

    /// Gives access to the bytes during the call, for libraries that take a buffer pointer.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(storage))
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { redacted }
    package var debugDescription: String { redacted }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretBytes: Equatable {
    /// Compares in time that depends only on the lengths.
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.withBytes { left in right.withBytes { right in equalInConstantTime(left, right) } }
    }
}

/// Compares two byte sequences in time that depends only on their lengths.
package func equalInConstantTime(_ left: RawSpan, _ right: RawSpan) -> Bool {
    guard left.byteCount == right.byteCount else { return false }
    var difference: UInt8 = 0
    for offset in 0..<left.byteCount {
        let a = unsafe left.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        let b = unsafe right.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        difference |= a ^ b
    }
    return difference == 0
}

/// Compares two arrays in time that depends only on their lengths.
package func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    unsafe equalInConstantTime(left.span.bytes, right.span.bytes)
}

/// Overwrites an array's bytes in place, then empties the array.
package func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { unsafe clinux_wipe($0.baseAddress, $0.count) }
    bytes.removeAll()
}

package let redacted = "<redacted>"
