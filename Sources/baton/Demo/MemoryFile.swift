// SPDX-License-Identifier: Apache-2.0
import CLinux
import FoundationEssentials
import Glibc
import UnixSocket

/// A nameless file in memory. It disappears when its last descriptor is closed.
struct MemoryFile: Sendable {
    /// The descriptor, positioned at the beginning of the file.
    let descriptor: Descriptor

    init(holding bytes: [UInt8] = []) throws {
        let number = unsafe clinux_memory_file("baton-demo")
        guard number >= 0 else { throw StoryFailure("no memory file: error \(-number)") }
        descriptor = Descriptor(owning: number)
        // pwrite keeps the offset, so that a process that inherits the file reads it from the beginning.
        guard unsafe pwrite(number, bytes, bytes.count, 0) == bytes.count else {
            throw StoryFailure("a memory file cannot be written: error \(errno)")
        }
    }

    /// Returns the content, whichever process wrote it.
    func content() throws -> Data {
        try descriptor.withNumber { try Data(contentsOf: URL(filePath: "/proc/self/fd/\($0)")) }
    }
}
