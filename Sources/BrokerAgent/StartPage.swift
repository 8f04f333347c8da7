// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import CLinux
internal import Files
internal import Glibc

/// A file that redirects a browser to an address that no other user may learn.
///
/// Every user of the machine can read the arguments of every process (proc(5)); only its owner can read this file.
struct StartPage: Sendable {
    private let path: String

    /// Writes the page. The file must not exist yet.
    ///
    /// - Parameter folder: a folder that only this user may enter.
    /// - Throws: ``FileError``
    init(to address: LoopbackURL, number: Int, in folder: Directory) throws(FileError) {
        path = folder.path + "/start-\(number).html"
        let file = unsafe clinux_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileError(.open, errno: -file, path: path) }
        defer { _ = close(file) }
        try FileWriting.writeAll(Array(Self.text(address).utf8), to: file, path: path)
    }

    /// The address of the file itself (RFC 8089).
    var url: String {
        "file://" + path.utf8.map { Self.plain.contains($0) ? String(UnicodeScalar($0)) : Self.encoded($0) }.joined()
    }

    private static func text(_ address: LoopbackURL) -> String {
        // Of the characters allowed in the address (see `LoopbackURL`), only this one is special in an attribute.
        let target = address.text.replacing("&", with: "&amp;")
        return """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sign-in</title>
            <meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=\(target)"></head></html>

            """
    }

    /// The characters of a path that need no encoding (RFC 3986 section 3.3).
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)

    private static func encoded(_ byte: UInt8) -> String {
        let digits = Array("0123456789ABCDEF")
        return "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }
}
