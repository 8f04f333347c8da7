// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import DeviceManagement
internal import Foundation
internal import Hummingbird
internal import NIOPosix

/// The folder of app packages, each named by its digest.
struct PackageStore: Sendable {
    let directory: String

    /// A package that is in the folder.
    struct Stored: Sendable {
        let size: Int64
        /// 64 hexadecimal digits.
        let sha256: String
    }

    /// Copies a file into the folder, on a thread that may block.
    ///
    /// - Throws: ``ManagementRefusal`` where the file cannot be read or is too large.
    func store(_ path: String) async throws -> Stored {
        let directory = directory
        return try await NIOThreadPool.singleton.runIfActive { try Self.copy(path, into: directory) }
    }

    /// The bytes of a package, piece by piece.
    func body(digest: String, context: some RequestContext) async throws -> ResponseBody {
        try await FileIO(threadPool: .singleton).loadFile(path: "\(directory)/\(digest)", context: context)
    }

    private static func copy(_ path: String, into directory: String) throws -> Stored {
        let files = FileManager.default
        try files.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard let source = FileHandle(forReadingAtPath: path) else { throw ManagementRefusal(.unreadablePackage) }
        defer { close(source) }
        let draft = "\(directory)/\(UUID().uuidString).new"
        guard files.createFile(atPath: draft, contents: nil, attributes: [.posixPermissions: 0o600]),
            let target = FileHandle(forWritingAtPath: draft)
        else { throw ManagementRefusal(.unwritableStore) }
        do {
            defer { close(target) }
            let stored = try pour(source, into: target)
            try target.synchronize()
            guard unsafe rename(draft, "\(directory)/\(stored.sha256)") == 0 else {
                throw ManagementRefusal(.unwritableStore)
            }
            return stored
        } catch {
            _ = unsafe unlink(draft)
            throw error
        }
    }

    private static func pour(_ source: FileHandle, into target: FileHandle) throws -> Stored {
        var digest = SHA256()
        var size: Int64 = 0
        while let piece = try source.read(upToCount: 256 << 10), !piece.isEmpty {
            size += Int64(piece.count)
            guard size <= AppManifest.maximumSize else { throw ManagementRefusal(.packageTooLarge) }
            digest.update(data: piece)
            try target.write(contentsOf: piece)
        }
        guard size > 0 else { throw ManagementRefusal(.unreadablePackage) }
        return Stored(size: size, sha256: Hex.text(digest.finalize()))
    }

    private static func close(_ handle: FileHandle) {
        do { try handle.close() } catch {
            // Everything was synchronised or is thrown away; there is nothing left to lose.
        }
    }
}
