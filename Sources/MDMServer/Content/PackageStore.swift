// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import DeviceManagement
internal import Foundation
internal import Hummingbird
internal import NIOPosix

/// The folder of app packages. Each file name is the package's digest.
struct PackageStore: Sendable {
    let directory: String
    let sync: @Sendable (_ folder: String) throws -> Void
    private static let draftSuffix = ".new"

    /// A package in the folder.
    struct Stored: Sendable {
        let size: Int64
        /// 64 hexadecimal digits.
        let sha256: String
    }

    /// Copies a file into the folder, on a thread that may block.
    ///
    /// - Throws: ``ManagementRefusal`` if the file cannot be read or is too large.
    func store(_ path: String) async throws -> Stored {
        try await NIOThreadPool.singleton.runIfActive { try copy(path) }
    }

    /// Removes unfinished copies left by a killed server.
    func sweep() async throws {
        let directory = directory
        try await NIOThreadPool.singleton.runIfActive {
            guard FileManager.default.fileExists(atPath: directory) else { return }
            for name in try FileManager.default.contentsOfDirectory(atPath: directory)
            where name.hasSuffix(Self.draftSuffix) {
                try FileManager.default.removeItem(atPath: directory + "/" + name)
            }
        }
    }

    /// Streams the bytes of a package.
    func body(digest: String, context: some RequestContext) async throws -> ResponseBody {
        try await FileIO(threadPool: .singleton).loadFile(path: "\(directory)/\(digest)", context: context)
    }

    private func copy(_ path: String) throws -> Stored {
        try prepare()
        guard let source = FileHandle(forReadingAtPath: path) else {
            throw ManagementRefusal(.unreadablePackage, "The package file \(path) cannot be read.")
        }
        defer { Self.close(source) }
        let draft = "\(directory)/\(UUID().uuidString)\(Self.draftSuffix)"
        let files = FileManager.default
        guard files.createFile(atPath: draft, contents: nil, attributes: [.posixPermissions: 0o600]),
            let target = FileHandle(forWritingAtPath: draft)
        else { throw ManagementRefusal(.unwritableStore) }
        do {
            defer { Self.close(target) }
            let stored = try Self.pour(source, of: path, into: target)
            try target.synchronize()
            guard unsafe rename(draft, "\(directory)/\(stored.sha256)") == 0 else {
                throw ManagementRefusal(.unwritableStore)
            }
            // A package must not be offered while a power failure could still undo its rename.
            try durably(directory)
            return stored
        } catch {
            _ = unsafe unlink(draft)
            throw error
        }
    }

    /// Creates the folder if it is missing, accessible only to the server's user.
    private func prepare() throws {
        let files = FileManager.default
        let isNew = !files.fileExists(atPath: directory)
        do {
            try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory)
        } catch { throw ManagementRefusal(.unwritableStore) }
        if isNew { try durably(URL(filePath: directory).deletingLastPathComponent().path) }
    }

    private func durably(_ folder: String) throws {
        do { try sync(folder) } catch { throw ManagementRefusal(.unwritableStore) }
    }

    private static func pour(_ source: FileHandle, of path: String, into target: FileHandle) throws -> Stored {
        var digest = SHA256()
        var size: Int64 = 0
        while let piece = try source.read(upToCount: 256 << 10), !piece.isEmpty {
            guard size > 0 || Self.isProgram(piece) else {
                throw ManagementRefusal(
                    .noPackage, "\(path) is not a program for Linux (ELF), the only kind that devices install.")
            }
            size += Int64(piece.count)
            guard size <= AppManifest.maximumSize else { throw ManagementRefusal(.packageTooLarge) }
            digest.update(data: piece)
            try target.write(contentsOf: piece)
        }
        guard size > 0 else { throw ManagementRefusal(.unreadablePackage) }
        return Stored(size: size, sha256: Hex.text(digest.finalize()))
    }

    /// Returns whether the file that starts with `begin` is a program for Linux, the only kind that devices install.
    /// Such a file is an ELF file (elf(5)) of type `ET_EXEC` or `ET_DYN`.
    private static func isProgram(_ begin: Data) -> Bool {
        let head = Array(begin.prefix(18))
        guard head.count == 18, head.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else { return false }
        // Byte 5 gives the byte order of the numbers that follow.
        let type = head[5] == 2 ? head[17] : head[16]
        return type == 2 || type == 3
    }

    private static func close(_ handle: FileHandle) {
        do { try handle.close() } catch {
            // Everything was synchronised or is discarded, so a failed close loses nothing.
        }
    }
}
