// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Glibc
package import Redaction

/// A list of passwords that are known from breaches: SHA-1 hashes, or the first digits of them, one a line in ascending order,
/// each with the number of times it was seen (`HASH:COUNT`, as the well-known lists are published).
///
/// The file is searched where it lies, so that it may be larger than the memory, and opened for each search, so that a new
/// one may be put in its place.
package struct BreachedPasswords: Sendable {
    /// Why the list does not answer; "is it breached" is then not answered with no.
    package enum Failure: Error, Equatable {
        case unreadable, malformed
    }

    private let path: String

    /// Takes a list after a look at its first and its last line.
    ///
    /// - Throws: ``Failure``
    package init(path: String) throws(Failure) {
        self.path = path
        let file = try SortedLines(path: path)
        for offset in [0, max(0, file.size - 1)] { _ = try digits(of: try file.line(at: offset).text) }
    }

    /// Whether the password is on the list; reads some twenty lines.
    ///
    /// - Throws: ``Failure``
    package func contains(_ password: SecretBytes) throws(Failure) -> Bool {
        var hash = unsafe password.withUnsafeBytes { bytes in
            unsafe Insecure.SHA1.hash(data: bytes).flatMap { [hexadecimal[Int($0 >> 4)], hexadecimal[Int($0 & 15)]] }
        }
        defer { wipe(&hash) }
        let file = try SortedLines(path: path)
        // The last line that is not greater: if any line is the hash or begins it, that one is.
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

    /// The hash of a line: 8 to 40 digits in upper case.
    private func digits(of line: ArraySlice<UInt8>) throws(Failure) -> ArraySlice<UInt8> {
        let digits = line.prefix { $0 != UInt8(ascii: ":") }
        guard (8...40).contains(digits.count), digits.allSatisfy(hexadecimal.contains) else { throw .malformed }
        return digits
    }
}

private let hexadecimal = Array("0123456789ABCDEF".utf8)

/// A text file whose lines are found by where they lie.
private final class SortedLines {
    /// Bytes of the file.
    let size: Int
    private let descriptor: Int32
    /// No line is longer.
    private static let longest = 64

    init(path: String) throws(BreachedPasswords.Failure) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable }
        size = lseek(descriptor, 0, SEEK_END)
        guard size > 0 else { throw .unreadable }
    }

    deinit { close(descriptor) }

    /// The line that the byte at an offset belongs to: where it begins, its text, and where the next one begins.
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
