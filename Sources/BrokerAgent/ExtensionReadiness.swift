// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Glibc
internal import Processes
internal import UnixSocket

/// Waits for the file that `baton-browser-host` writes once the browser's extension knows for which addresses it
/// requests headers. On a page that opens earlier, the worker is not signed in.
struct ExtensionReadiness: Sendable {
    private let file: String
    private let browsers: Set<Int>
    private let events: Descriptor

    /// Milliseconds that the extension may take. A page that has waited this long opens without a sign-in.
    private static let patience: Int32 = 10_000

    /// Begins to watch the file's folder (inotify(7)).
    ///
    /// - Parameters:
    ///   - browsers: the numbers of the browsers whose extension is awaited. The file contains the number of the
    ///     browser that wrote it.
    ///   - isNew: whether no browser runs. An existing file then belongs to an earlier browser, perhaps of an earlier
    ///     agent, and is removed.
    /// - Throws: ``FileError``.
    init(file: String, of browsers: Set<Int>, isNew: Bool) throws(FileError) {
        (self.file, self.browsers) = (file, browsers)
        let number = inotify_init1(Int32(IN_CLOEXEC))
        guard number >= 0 else { throw FileError(.open, errno: errno, path: file) }
        events = Descriptor(owning: number)
        if isNew { _ = try AtomicFile(path: file).remove() }
        let folder = file.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        guard unsafe inotify_add_watch(number, folder, UInt32(IN_MOVED_TO | IN_CREATE)) >= 0 else {
            throw FileError(.open, errno: errno, path: folder)
        }
    }

    /// Blocks until the extension of one of the browsers is ready.
    ///
    /// - Returns: the browser's number; nil if none is ready after ten seconds.
    func wait() -> Int? {
        let deadline = ContinuousClock.now + .milliseconds(Int(Self.patience))
        while true {
            if let writer, browsers.contains(writer) { return writer }
            let rest = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            guard rest > 0, events.isReadable(within: Int32(rest) + 1) else { return nil }
            var bytes = [UInt8](repeating: 0, count: 4096)
            _ = events.withNumber { unsafe read($0, &bytes, bytes.count) }
        }
    }

    /// The number in the file; nil if there is no file or no number in it.
    private var writer: Int? {
        guard let bytes = (try? AtomicFile(path: file).read(limit: 32)) ?? nil else { return nil }
        return Int(String(decoding: bytes, as: UTF8.self))
    }
}
