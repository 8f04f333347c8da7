// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
package import UnixSocket

/// A session's key in a locked memory file. It never reaches a disk. ``destroy()`` overwrites it at once for all
/// processes that share the file.
///
/// The supervisor holds the file for the session process and never reads it.
@safe package final class MemoryKey: Sendable {
    /// The key's length in bytes.
    package static let count = 32

    /// The memory file; it is handed to the session process.
    package let file: Descriptor
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer

    /// Makes a new random key.
    ///
    /// - Throws: ``KeyFailure`` if the kernel refuses the memory or the lock.
    package init() throws(KeyFailure) {
        let number = unsafe clinux_memory_file("baton-session-key")
        guard number >= 0 else { throw KeyFailure(step: .create, errno: -number) }
        file = Descriptor(owning: number)
        guard ftruncate(number, off_t(Self.count)) == 0 else { throw KeyFailure(step: .create, errno: errno) }
        guard clinux_seal_size(number) == 0 else { throw KeyFailure(step: .create, errno: errno) }
        unsafe memory = try Self.map(file)
        guard unsafe mlock(memory, Self.count) == 0 else { throw KeyFailure(step: .lock, errno: errno) }
        var random = SystemRandomNumberGenerator()
        for offset in stride(from: 0, to: Self.count, by: 8) {
            unsafe memory.storeBytes(of: random.next(), toByteOffset: offset, as: UInt64.self)
        }
    }

    /// Opens the key that a supervisor handed over.
    ///
    /// - Throws: ``KeyFailure`` if the descriptor is not a memory file of the right size, or if the kernel refuses the
    ///   lock.
    package init(handedOver descriptor: Descriptor) throws(KeyFailure) {
        file = descriptor
        var status = stat()
        let outcome = descriptor.withNumber { number in unsafe fstat(number, &status) }
        guard outcome == 0, descriptor.withNumber({ clinux_is_memory_file($0) }) == 1,
            status.st_size == off_t(Self.count)
        else { throw KeyFailure(step: .open, errno: EINVAL) }
        unsafe memory = try Self.map(descriptor)
        guard unsafe mlock(memory, Self.count) == 0 else { throw KeyFailure(step: .lock, errno: errno) }
    }

    deinit { unsafe munmap(memory, Self.count) }

    private static func map(_ file: Descriptor) throws(KeyFailure) -> UnsafeMutableRawPointer {
        let mapped = unsafe file.withNumber { number in
            unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0)
        }
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
            throw KeyFailure(step: .open, errno: errno)
        }
        // A core dump would write the key to disk.
        guard unsafe madvise(mapped, count, MADV_DONTDUMP) == 0 else { throw KeyFailure(step: .lock, errno: errno) }
        return unsafe mapped
    }

    /// Overwrites the key. From then on no process can decrypt data that was sealed under the key.
    package func destroy() { unsafe clinux_wipe(memory, Self.count) }

    /// Passes the key's bytes to `body`; they are valid during the call only.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(start: memory, count: Self.count))
    }
}

/// The kernel could not provide a session key. Nobody can sign in.
package struct KeyFailure: Error, Equatable {
    package enum Step: String, Sendable {
        case create, lock, open
    }

    package let step: Step
    package let errno: Int32
}
