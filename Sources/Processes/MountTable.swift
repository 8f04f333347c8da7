// SPDX-License-Identifier: Apache-2.0

package import Files
internal import Glibc

/// The mounts of this process, as `/proc/self/mountinfo` lists them (proc_pid_mountinfo(5)).
package struct MountTable: Sendable {
    package struct Mount: Sendable, Equatable {
        /// The major and minor number of the device, such as `254:0`.
        package let device: String
        /// The folder inside the file system that is mounted here.
        package let root: String
        /// The absolute path of the mount point, in printable form (`String(printableName:)`).
        package let path: String
        /// The file system's type, such as `tmpfs`.
        package let type: String
        /// The options of the file system itself, such as `noswap`.
        package let options: [Substring]
    }

    package let mounts: [Mount]

    /// Reads the table of this process.
    ///
    /// - Throws: ``FileError``.
    package static func read() throws(FileError) -> MountTable {
        let path = "/proc/self/mountinfo"
        guard let text = try AtomicFile(path: path).read() else { throw FileError(.open, errno: ENOENT, path: path) }
        return MountTable(text: String(decoding: text, as: UTF8.self))
    }

    /// Reads the table's text. Skips lines that do not have the documented form.
    package init(text: String) {
        mounts = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            guard let dash = fields.firstIndex(of: "-"), dash >= 6, fields.count >= dash + 4 else { return nil }
            return Mount(
                device: String(fields[2]), root: Self.plain(fields[3]), path: Self.plain(fields[4]),
                type: String(fields[dash + 1]),
                options: fields[dash + 3].split(separator: ","))
        }
    }

    /// Replaces the octal escapes that the kernel writes for white space and backslashes.
    private static func plain(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(printableName: bytes)
    }
}
