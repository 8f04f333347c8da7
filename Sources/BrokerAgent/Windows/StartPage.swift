// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import CLinux
internal import Files
internal import Glibc

/// A file that redirects a browser to an address that no other user may learn.
///
/// Every user of the machine can read the arguments of every process (proc(5)), but only the owner of this file can
/// read it.
///
/// A file also has a second advantage. Chromium sometimes never requests its first page if this is an http page and
/// Chromium installs an extension at the same time. On a busy machine this happened in 3 of 21 starts, and with this
/// file in none of 65.
struct StartPage: Sendable {
    /// What the browser does after it has opened the page.
    enum Content {
        /// The browser opens this address.
        case leads(to: String)
        /// The browser opens the page again, five times a second, until the content changes.
        case waits
    }

    private let path: String

    /// Writes the page. The file must not exist yet.
    ///
    /// - Parameter folder: a folder that only this user may enter.
    /// - Throws: ``FileError``
    init(_ content: Content, number: Int, in folder: Directory) throws(FileError) {
        path = folder.path + "/start-\(number).html"
        let file = unsafe clinux_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileError(.open, errno: -file, path: path) }
        defer { _ = close(file) }
        try FileWriting.writeAll(Self.text(content), to: file, path: path)
    }

    /// Replaces the content as a whole.
    ///
    /// - Throws: ``FileError``
    func replace(with content: Content) throws(FileError) {
        try AtomicFile(path: path).replace(with: Self.text(content))
    }

    /// The address of the file itself (RFC 8089).
    var url: String { Self.address(of: path) }

    /// The address of a file or folder.
    static func address(of path: String) -> String {
        "file://" + path.utf8.map { Self.plain.contains($0) ? String(UnicodeScalar($0)) : Self.encoded($0) }.joined()
    }

    private static func text(_ content: Content) -> [UInt8] {
        let refresh: String
        switch content {
        // Addresses contain no other character that is special in a quoted attribute: see `LoopbackURL` and
        // `WebAddress`.
        case .leads(let address): refresh = "0; url=" + address.replacing("&", with: "&amp;")
        case .waits: refresh = "0.2"
        }
        return Array(
            """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>…</title>
            <meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="\(refresh)"></head></html>

            """.utf8)
    }

    /// The characters of a path that need no encoding (RFC 3986 section 3.3).
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)

    private static func encoded(_ byte: UInt8) -> String {
        let digits = Array("0123456789ABCDEF")
        return "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }
}
