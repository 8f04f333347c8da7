// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import Files
internal import Glibc

/// Where one epoch's browser puts its temporary files.
///
/// The folder is apart from the profile because a socket's path may have 107 bytes only, and Chromium puts one here. Any
/// user may make entries in `/tmp`, so the folder has a random name, which is recorded beside the profile before the folder
/// exists: no other user can make it first, and the next agent finds it. What another user owns under that name is not
/// the browser's, and counts as absent.
package struct TemporaryFolder: Sendable {
    /// A link to the folder.
    private let record: String
    private let profiles: Directory

    /// - Parameter epoch: whose browser it is.
    package init(of epoch: Epoch.ID, in profiles: Directory) {
        record = profiles.path + "/\(epoch)" + Self.suffix
        self.profiles = profiles
    }

    private static let suffix = ".temporary"
    private static let prefix = "/tmp/baton-"
    private static let nameBytes = 16
    /// Names that are tried where other users have taken the former ones.
    private static let maximumNames = 4

    /// The epoch whose folder an entry of the profiles' folder records; nil for another entry.
    package static func epoch(ofRecord entry: String) -> String? {
        entry.hasSuffix(suffix) ? String(entry.dropLast(suffix.utf8.count)) : nil
    }

    /// The folder that is recorded; nil where there is no record.
    ///
    /// - Throws: ``FileError``, with `EINVAL` where the record names no folder of an agent.
    package func recorded() throws(FileError) -> Directory? {
        let size = 256
        var target = [CChar](repeating: 0, count: size)
        let count = unsafe readlink(record, &target, size)
        guard count >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError(.read, errno: errno, path: record)
        }
        let path = String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let name = path.utf8.dropFirst(Self.prefix.utf8.count)
        guard path.hasPrefix(Self.prefix), name.count == 2 * Self.nameBytes, name.allSatisfy(Self.digits.contains)
        else { throw FileError(.read, errno: EINVAL, path: record) }
        return Directory(path: path)
    }

    /// Makes the folder for this user alone, where it is not there yet.
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

    /// Removes the folder, reads back that it is absent, and forgets it.
    ///
    /// - Throws: ``FileError`` where something is left; then it may be called again.
    package func remove() throws(FileError) {
        guard let folder = try recorded() else { return }
        if try Self.isOwn(folder) {
            try folder.removeTree()
            guard try !Self.isOwn(folder) else { throw FileError(.remove, errno: EEXIST, path: folder.path) }
        }
        try forget()
    }

    /// Whether the folder is recorded, or the one that was recorded before is there.
    package func isLeft(_ seen: Directory?) throws(FileError) -> Bool {
        if try recorded() != nil { return true }
        guard let seen else { return false }
        return try Self.isOwn(seen)
    }

    /// Whether something of this user has that path.
    private static func isOwn(_ folder: Directory) throws(FileError) -> Bool {
        var status = stat()
        guard unsafe lstat(folder.path, &status) == 0 else {
            if errno == ENOENT { return false }
            throw FileError(.open, errno: errno, path: folder.path)
        }
        return status.st_uid == geteuid()
    }

    private static let digits = Set("0123456789abcdef".utf8)

    private func newRecord() throws(FileError) -> Directory {
        let name = (0..<Self.nameBytes).map { _ in
            let byte = UInt8.random(in: 0...255)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        let folder = Directory(path: Self.prefix + name.joined())
        guard unsafe symlink(folder.path, record) == 0 else {
            throw FileError(.makeDirectory, errno: errno, path: record)
        }
        // What is made must be found again, whenever the power fails.
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
