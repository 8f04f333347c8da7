// SPDX-License-Identifier: Apache-2.0
import CLinux
import Files
import Glibc
import UnixSocket

/// A new file that gets its name when it is complete, and that only its owner may read. Until then it is called
/// `NAME.partial`.
///
/// Every call blocks on disk I/O: call it from a thread or executor that may block.
final class DraftFile: Sendable {
    private let path: String
    private let draft: String
    private let file: Descriptor

    /// Creates the file. A draft that an interrupted program left is replaced.
    ///
    /// - Throws: ``FileError``; with `EEXIST` if a file has the name already.
    init(for path: String) throws(FileError) {
        (self.path, draft) = (path, path + ".partial")
        let exists = unsafe clinux_exists(path)
        guard exists == 0 else { throw FileError(.open, errno: exists > 0 ? EEXIST : -exists, path: path) }
        guard unsafe unlink(draft) == 0 || errno == ENOENT else { throw FileError(.remove, errno: errno, path: draft) }
        let number = unsafe clinux_open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw FileError(.open, errno: -number, path: draft) }
        file = Descriptor(owning: number)
    }

    /// Writes at the end of the file.
    func append(_ content: [UInt8]) throws(FileError) {
        try file.withNumber { number throws(FileError) in
            try FileWriting.writeAll(content, to: number, path: draft)
        }
    }

    /// Makes the content durable and gives the file its name.
    ///
    /// - Throws: ``FileError``; with `EEXIST` if a file has the name by now.
    func publish() throws(FileError) {
        try file.withNumber { number throws(FileError) in
            guard fsync(number) == 0 else { throw FileError(.sync, errno: errno, path: draft) }
            // Creating a link never replaces a file. The link refers to this descriptor's file, even if another program
            // has replaced the draft.
            let own = "/proc/self/fd/\(number)"
            guard unsafe linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
                throw FileError(.rename, errno: errno, path: path)
            }
        }
        discard()
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) }
        try Directory(path: parent.map { $0.isEmpty ? "/" : $0 } ?? ".").sync()
    }

    /// Removes the draft.
    func discard() { _ = unsafe unlink(draft) }
}
