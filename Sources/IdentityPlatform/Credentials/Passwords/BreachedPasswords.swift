// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Encodings
internal import Glibc
package import Redaction

/// A list of breached passwords: SHA-1 hashes, or prefixes of them, one per line in ascending order, each with its
/// number of occurrences (`HASH:COUNT`, the format in which well-known lists are published).
///
/// The file is searched on disk, so it may be larger than the main memory. It is opened for each search, so it can be
/// replaced while the server runs.
package struct BreachedPasswords: Sendable {
    /// Why the list could not be searched. A failed search must not be treated as "not breached".
    package enum Failure: Error, Equatable {
        case unreadable, malformed
    }

    private let path: String

    /// Opens a list after checking its first and last lines.
    ///
    /// - Throws: ``Failure``
    package init(path: String) throws(Failure) {
        self.path = path
        let file = try SortedLines(path: path)
        for offset in [0, max(0, file.size - 1)] { _ = try digits(of: try file.line(at: offset).text) }
    }

    /// Returns whether the password is on the list. Reads about twenty lines.
    ///
    /// - Throws: ``Failure``
    package func contains(_ password: SecretBytes) throws(Failure) -> Bool {
        var hash = unsafe password.withUnsafeBytes { bytes in
            unsafe Hexadecimal.digits(Insecure.SHA1.hash(data: bytes), .upper)
        }
        defer { wipe(&hash) }
        let file = try SortedLines(path: path)
        // Finds the last line that is not greater than the hash. If the list contains the hash or a prefix of the hash,
        // then this line contains it.
        var (low, high) = (0, file.size)
        var candidate: ArraySlice<UInt8> = []
        while low < high {
            let line = try file.line(at: low + (high - low) / 2)
            let digits = try digits(of: line.text)
            if digits.lexicographicallyPrecedes(hash) || digits.elementsEqual(hash) {
                (candidate, low) = (digits, line.end)
            } else {
                high = line.start
            }
        }
        return !candidate.isEmpty && hash.starts(with: candidate)
    }

    /// Returns the hash in a line: 8 to 40 upper-case hexadecimal digits.
    private func digits(of line: ArraySlice<UInt8>) throws(Failure) -> ArraySlice<UInt8> {
        let digits = line.prefix { $0 != UInt8(ascii: ":") }
        guard (8...40).contains(digits.count), digits.allSatisfy({ Hexadecimal.isDigit($0, .upper) }) else {
            throw .malformed
        }
        return digits
    }
}

/// A text file in which lines are looked up by byte offset.
private final class SortedLines {
    /// The size of the file in bytes.
    let size: Int
    private let descriptor: Int32
    /// The maximum length of a line in bytes.
    private static let longest = 64

    init(path: String) throws(BreachedPasswords.Failure) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable }
        size = lseek(descriptor, 0, SEEK_END)
        guard size > 0 else { throw .unreadable }
    }

    deinit { close(descriptor) }

    /// Returns the line that contains the byte at an offset: its start, its text, and the start of the next line.
    func line(
        at offset: Int
    ) throws(BreachedPasswords.Failure) -> (start: Int, text: ArraySlice<UInt8>, end: Int) {
        let from = max(0, offset - Self.longest)
        let bytes = try read(from, 2 * Self.longest + 1)
        let place = offset - from
        guard place < bytes.count else { throw .malformed }
        let newline = UInt8(ascii: "\n")
        let before = bytes[..<place].lastIndex(of: newline).map { $0 + 1 }
        guard let start = before ?? (from == 0 ? 0 : nil) else { throw .malformed }
        let after = bytes[place...].firstIndex(of: newline)
        guard let end = after ?? (from + bytes.count == size ? bytes.count : nil) else { throw .malformed }
        var text = bytes[start..<end]
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        return (from + start, text, from + end + (after == nil ? 0 : 1))
    }

    private func read(_ offset: Int, _ count: Int) throws(BreachedPasswords.Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, offset + filled)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .unreadable }
            if got == 0 { break }
            filled += got
        }
        return Array(bytes.prefix(filled))
    }
}
