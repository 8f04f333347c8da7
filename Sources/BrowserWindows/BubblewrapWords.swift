// SPDX-License-Identifier: Apache-2.0
package import Files
internal import Glibc
internal import Processes
package import UnixSocket

/// bubblewrap's messages when it cannot start a window, reduced to what may be logged.
///
/// Only known words of bubblewrap and of the C library, and paths of the system, are repeated: a browser that somebody
/// has taken over could write anything else to this output.
package struct BubblewrapWords: Sendable {
    private let output: MemoryFile

    /// bubblewrap ends after one message, which has less than a hundred bytes.
    private static let maximumBytes = 4096
    private static let maximumLines = 3

    /// - Throws: ``FileError``
    package init() throws(FileError) { output = try MemoryFile(size: Self.maximumBytes) }

    /// The descriptor that bubblewrap gets as its standard error.
    package var descriptor: (Descriptor, as: Int32) { (output.descriptor, as: STDERR_FILENO) }

    /// The messages; nil if there are none.
    package var text: String? {
        guard let content = try? output.content() else { return nil }
        let lines = String(decoding: content.prefix { $0 != 0 }, as: UTF8.self).split(separator: "\n")
        let messages = lines.filter { $0.hasPrefix("bwrap: ") }.prefix(Self.maximumLines).map(Self.message)
        return messages.isEmpty ? nil : messages.joined(separator: "; ")
    }

    private static func message(_ line: Substring) -> String {
        let words = line.split(separator: " ").map { $0.hasSuffix(":") ? $0.dropLast() : $0 }
        let path = words.first { word in places.contains { word.hasPrefix($0) } && word.utf8.allSatisfy(isPlain) }
        return [phrases.first(where: line.contains) ?? "another message", path.map(String.init), reason(of: line)]
            .compactMap(\.self).joined(separator: " ")
    }

    private static func reason(of line: Substring) -> String? {
        reasons.map { unsafe String(cString: strerror($0)) }.first { line.hasSuffix($0) }.map { "(\($0))" }
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7f }

    private static let places = ["/usr/", "/etc/", "/proc/", "/sys/", "/dev/"]

    private static let phrases = [
        "No permissions to create new namespace", "Creating new namespace failed", "setting up uid map",
        "setting up gid map", "Can't find source path", "Can't bind mount", "Can't mount proc", "Can't mount tmpfs",
        "Can't mount devpts", "Can't create file", "Can't create symlink", "Can't make symlink", "Can't mkdir",
        "Can't chmod", "Can't chdir", "Can't open", "Can't read", "Can't write", "Can't fork",
        "Can't get type of source",
        "Can't remount readonly", "Failed to mount tmpfs", "Failed to make / slave", "Unable to remount destination",
        "unshare user ns", "pivot_root", "execvp", "Unknown option",
    ]

    private static let reasons = [
        EPERM, ENOENT, EACCES, ENOSPC, ENOMEM, EINVAL, EBUSY, EROFS, EMFILE, ENFILE, ENOTDIR, ELOOP, EAGAIN,
    ]
}
