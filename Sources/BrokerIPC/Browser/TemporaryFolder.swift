// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import Encodings
package import Files
internal import Glibc

/// The folder for the temporary files of one epoch's browser.
///
/// The folder is outside the profile because the path of a socket is limited to 107 bytes, and Chromium creates a
/// socket here. Any user may create entries in `/tmp`, so the folder has a random name, which is recorded beside the
/// profile before the folder exists. No other user can create the folder first, and the next agent finds the folder. An
/// entry of that name that belongs to another user is not the browser's and counts as absent.
package struct TemporaryFolder: Sendable {
    /// The path of the symbolic link that records the folder.
    private let record: String
    private let profiles: Directory

    /// - Parameter epoch: the epoch of the browser.
    package init(of epoch: Epoch.ID, in profiles: Directory) {
        record = profiles.path + "/\(epoch)" + Self.suffix
        self.profiles = profiles
    }

    private static let suffix = ".temporary"
    private static let prefix = "/tmp/baton-"
    private static let nameBytes = 16
    /// The maximum number of names to try if other users have taken the previous names.
    private static let maximumNames = 4

    /// The epoch of the temporary folder that is recorded by this entry of the profiles' folder; nil if the entry is
    /// not such a record.
    package static func epoch(ofRecord entry: String) -> String? {
        entry.hasSuffix(suffix) ? String(entry.dropLast(suffix.utf8.count)) : nil
    }

    /// Returns the recorded folder; nil if there is no record.
    ///
    /// - Throws: ``FileError``, with `EINVAL` if the record does not name a folder of an agent.
    package func recorded() throws(FileError) -> Directory? {
        guard let target = try SymbolicLink.target(of: record) else { return nil }
        let path = String(decoding: target, as: UTF8.self)
        let name = path.utf8.dropFirst(Self.prefix.utf8.count)
        guard path.hasPrefix(Self.prefix), name.count == 2 * Self.nameBytes,
            name.allSatisfy({ Hexadecimal.isDigit($0, .lower) })
        else { throw FileError(.read, errno: EINVAL, path: record) }
        return Directory(path: path)
    }

    /// Creates the folder if it does not exist yet. Only this user may enter it.
    package func make() throws(FileError) -> Directory {
        for _ in 0..<Self.maximumNames {
            let folder: Directory
            if let known = try recorded() { folder = known } else { folder = try newRecord() }
            guard unsafe mkdir(folder.path, 0o700) == 0 || errno == EEXIST else {
                throw FileError(.makeDirectory, errno: errno, path: folder.path)
            }
            if try Self.isOwn(folder) { return folder }
            try forget()
        }
        throw FileError(.makeDirectory, errno: EEXIST, path: record)
    }

    /// Removes the folder, verifies that it is absent, and removes its record.
    ///
    /// - Throws: ``FileError`` if something is left. In that case the function may be called again.
    package func remove() throws(FileError) {
        guard let folder = try recorded() else { return }
        if try Self.isOwn(folder) {
            try folder.removeTree()
            guard try !Self.isOwn(folder) else { throw FileError(.remove, errno: EEXIST, path: folder.path) }
        }
        try forget()
    }

    /// Whether a folder is recorded, or the previously recorded folder `seen` still exists.
    package func isLeft(_ seen: Directory?) throws(FileError) -> Bool {
        if try recorded() != nil { return true }
        guard let seen else { return false }
        return try Self.isOwn(seen)
    }

    /// Whether this path exists and belongs to this user.
    private static func isOwn(_ folder: Directory) throws(FileError) -> Bool {
        var status = stat()
        guard unsafe lstat(folder.path, &status) == 0 else {
            if errno == ENOENT { return false }
            throw FileError(.open, errno: errno, path: folder.path)
        }
        return status.st_uid == geteuid()
    }

    private func newRecord() throws(FileError) -> Directory {
        let name = Hexadecimal.text((0..<Self.nameBytes).map { _ in UInt8.random(in: 0...255) })
        let folder = Directory(path: Self.prefix + name)
        guard unsafe symlink(folder.path, record) == 0 else {
            throw FileError(.makeDirectory, errno: errno, path: record)
        }
        // The record must be on disk before the folder exists, so that the folder is found after a power failure.
        try profiles.sync()
        return folder
    }

    private func forget() throws(FileError) {
        guard unsafe unlink(record) == 0 || errno == ENOENT else {
            throw FileError(.remove, errno: errno, path: record)
        }
        try profiles.sync()
    }
}
