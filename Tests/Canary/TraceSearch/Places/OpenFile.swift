// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import UnixSocket

/// An open file, read at offsets.
package struct OpenFile {
    let descriptor: Descriptor

    init(_ path: FilePath, _ flags: Int32) throws(SystemError) {
        descriptor = Descriptor(owning: try path.open(flags))
    }

    /// Takes over `number`.
    init(owning number: Int32) { descriptor = Descriptor(owning: number) }

    /// Reads at most `count` bytes, fewer at the end.
    package func read(at offset: Int, _ count: Int) throws(SystemError) -> [UInt8] {
        try unsafe SystemError.read(count) { room in
            descriptor.withNumber { unsafe pread($0, room.baseAddress, room.count, offset) }
        }
    }

    /// Reads everything, for files that report no size.
    func readAll() throws(SystemError) -> [UInt8] {
        var (content, piece): ([UInt8], [UInt8]) = ([], [])
        repeat {
            piece = try unsafe SystemError.read(1 << 16) { room in
                descriptor.withNumber { unsafe Glibc.read($0, room.baseAddress, room.count) }
            }
            content += piece
        } while !piece.isEmpty
        return content
    }

    func status() throws(SystemError) -> stat {
        var status = stat()
        try SystemError.check(descriptor.withNumber { unsafe fstat($0, &status) })
        return status
    }

    /// The same file, opened for reading, because a descriptor from `O_PATH` cannot be read.
    package func reopened() throws(SystemError) -> OpenFile {
        try OpenFile(FilePath("/proc/self/fd/\(descriptor.withNumber { $0 })"), O_RDONLY)
    }

    /// The kernel's name for the file.
    func name() throws(SystemError) -> String {
        String(
            decoding: try FilePath("/proc/self/fd/\(descriptor.withNumber { $0 })").linkTarget(), as: UTF8.self)
    }
}
