// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A failed system call.
package struct SystemError: Error {
    let errno: Int32

    init(_ errno: Int32) { self.errno = errno }

    /// A library had no memory left.
    static let outOfMemory = SystemError(ENOMEM)

    package var reason: String { unsafe String(cString: strerror(errno)) }

    /// Whether the error means that the file or process does not exist.
    var isAbsence: Bool { errno == ENOENT }

    /// - Throws: the kernel's error if a call returned -1.
    static func check(_ outcome: Int32) throws(SystemError) {
        guard outcome >= 0 else { throw SystemError(Glibc.errno) }
    }

    /// Reads at most `count` bytes with `call`, which returns their number, or -1.
    static func read(
        _ count: Int, _ call: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(SystemError) -> [UInt8] {
        var reason: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            while true {
                let outcome = unsafe call(UnsafeMutableRawBufferPointer(room))
                if outcome < 0 && Glibc.errno == EINTR { continue }
                reason = outcome < 0 ? Glibc.errno : 0
                filled = max(0, outcome)
                return
            }
        }
        guard reason == 0 else { throw SystemError(reason) }
        return bytes
    }

    /// Returns everything that `call` writes into a buffer of sufficient size; nil if the file system does not support
    /// the call.
    ///
    /// - Parameter call: returns the length, without writing, if it gets no buffer.
    static func whole(
        _ call: (UnsafeMutablePointer<CChar>?, Int) -> Int
    ) throws(SystemError) -> [UInt8]? {
        while true {
            let size = call(nil, 0)
            if size == -Int(ENOTSUP) { return nil }
            guard size >= 0 else { throw SystemError(Int32(-size)) }
            if size == 0 { return [] }
            var room = [CChar](repeating: 0, count: size)
            let count = unsafe room.withUnsafeMutableBufferPointer { unsafe call($0.baseAddress, $0.count) }
            // The content has grown meanwhile.
            if count == -Int(ERANGE) { continue }
            guard count >= 0 else { throw SystemError(Int32(-count)) }
            return room.prefix(count).map { UInt8(bitPattern: $0) }
        }
    }
}
