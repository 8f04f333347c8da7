// SPDX-License-Identifier: Apache-2.0
import CommandLineInterface
internal import Files
import FoundationEssentials
import Glibc

/// A tar archive (POSIX.1-1988, `ustar`) of small files without an owner.
struct BundleArchive {
    private(set) var bytes: [UInt8] = []

    /// Makes an archive of `members`.
    ///
    /// - Parameter time: the time of each member, in seconds since 1970.
    init(_ members: [(name: String, content: [UInt8])], time: Int) {
        for member in members {
            bytes += Self.header(member.name, size: member.content.count, time: time) + member.content
            bytes += [UInt8](repeating: 0, count: (512 - member.content.count % 512) % 512)
        }
        bytes += [UInt8](repeating: 0, count: 1024)
    }

    private static func header(_ name: String, size: Int, time: Int) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, _ offset: Int) {
            block.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        }
        func octal(_ value: Int, _ width: Int) -> String {
            let digits = String(value, radix: 8)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        put(name, 0)
        put(octal(0o600, 7), 100)
        put(octal(0, 7), 108)
        put(octal(0, 7), 116)
        put(octal(size, 11), 124)
        put(octal(time, 11), 136)
        put("        ", 148)
        put("0", 156)
        put("ustar", 257)
        put("00", 263)
        let sum = block.reduce(0) { $0 + Int($1) }
        put(octal(sum, 6), 148)
        (block[154], block[155]) = (0, UInt8(ascii: " "))
        return block
    }

    /// Writes the archive into a new file that only its owner may read.
    ///
    /// - Throws: ``CommandFailure``. A partly written file is removed.
    func write(to path: String) throws {
        do throws(FileError) { try NewFile.write(bytes, to: path) } catch {
            throw error.errno == EEXIST
                ? CommandFailure(
                    code: "bundle_exists", message: "\(path) exists already; nothing was written.",
                    remedy: "Give the name of a file that does not exist.")
                : Self.unwritten(path, error.errno)
        }
    }

    private static func unwritten(_ path: String, _ number: Int32) -> CommandFailure {
        CommandFailure(
            code: "file_not_written",
            message: "\(path) cannot be written (\(unsafe String(cString: strerror(number)))).",
            remedy: "Give another path.")
    }
}
