// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Hummingbird
internal import Logging
internal import NIOPosix
internal import Storage

/// A folder of app packages. Each file name is the package's digest.
struct PackageFolder: PackageStore {
    let directory: String
    let sources: MDMSources
    private static let draftSuffix = ".new"

    init(directory: String, sources: MDMSources) { (self.directory, self.sources) = (directory, sources) }

    func store(_ path: String) async throws -> StoredPackage { try await onFileThread { try copy(path) } }

    /// Nothing removes a package from the folder.
    func confirm(_ package: StoredPackage, in connection: any Connection) throws {}

    func body(digest: String, context: some RequestContext) async throws -> ResponseBody {
        let path = "\(directory)/\(digest)"
        // The folder may be on a file system that is not mounted at this node.
        guard try await onFileThread({ FileManager.default.fileExists(atPath: path) }) else {
            Logger.current.error("a package is missing in the folder", metadata: ["package.sha256": "\(digest)"])
            throw HTTPError(.serviceUnavailable)
        }
        return try await FileIO(threadPool: .singleton).loadFile(path: path, context: context)
    }

    /// Removes unfinished copies that have not changed for a long time. Younger ones may be copies that another node is
    /// making.
    func sweep() async throws {
        let (directory, oldest) = (directory, (sources.now() - abandonedCopyAge).date)
        try await onFileThread {
            let files = FileManager.default
            guard files.fileExists(atPath: directory) else { return }
            for name in try files.contentsOfDirectory(atPath: directory) where name.hasSuffix(Self.draftSuffix) {
                let path = directory + "/" + name
                // Another node may have finished or removed the copy meanwhile.
                guard let attributes = try? files.attributesOfItem(atPath: path),
                    let changed = attributes[.modificationDate] as? Date, changed < oldest
                else { continue }
                _ = unsafe unlink(path)
            }
        }
    }

    private func copy(_ path: String) throws -> StoredPackage {
        try prepare()
        let source = try PackageSource(path)
        let draft = "\(directory)/\(UUID().uuidString)\(Self.draftSuffix)"
        let files = FileManager.default
        guard files.createFile(atPath: draft, contents: nil, attributes: [.posixPermissions: 0o600]),
            let target = FileHandle(forWritingAtPath: draft)
        else { throw MDMAdminRefusal(.unwritableStore) }
        do {
            defer { Self.close(target) }
            while let piece = try source.next(256 << 10) { try target.write(contentsOf: piece) }
            let package = try source.package
            try target.synchronize()
            guard unsafe rename(draft, "\(directory)/\(package.sha256)") == 0 else {
                throw MDMAdminRefusal(.unwritableStore)
            }
            // A package must not be offered while a power failure could still undo its rename.
            try durably(directory)
            return package
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
        } catch { throw MDMAdminRefusal(.unwritableStore) }
        if isNew { try durably(URL(filePath: directory).deletingLastPathComponent().path) }
    }

    private func durably(_ folder: String) throws {
        do { try sources.sync(folder) } catch { throw MDMAdminRefusal(.unwritableStore) }
    }

    private static func close(_ handle: FileHandle) {
        do { try handle.close() } catch {
            // Everything was synchronised or is discarded, so a failed close loses nothing.
        }
    }
}
