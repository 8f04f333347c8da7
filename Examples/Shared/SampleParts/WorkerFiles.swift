// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import Workers

/// Stores one file of notes per worker, named after the worker's id. Several processes of an app may use it at once.
package struct WorkerFiles: Sendable {
    private let folder: URL

    package init(dataFolder: String) { folder = URL(filePath: dataFolder).appending(path: "notes") }

    /// Returns the worker's file; nil if there is none.
    package func read(owner: String) throws(Problem) -> Data? {
        do {
            return try Data(contentsOf: file(owner))
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch { throw Self.unreadable }
    }

    package func write(_ content: Data, owner: String) throws(Problem) {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            // The new file has this process's own name until it is complete.
            let (file, new) = (file(owner), file(owner).appendingPathExtension("\(getpid())"))
            try content.write(to: new)
            guard unsafe rename(new.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch { throw Problem(code: "note", message: "The note cannot be kept. Check dataFolder.") }
    }

    /// Removes every file except those of `owner`: other workers' notes and anything that a crash left behind.
    package func erase(keeping owner: String?) throws(Problem) {
        let kept = owner.map { file($0).lastPathComponent }
        do {
            for name in try names() where kept.map(name.hasPrefix) != true {
                try remove(folder.appending(path: name))
            }
        } catch {
            throw Problem(code: "erase", message: "A former worker's note cannot be removed. Check dataFolder at once.")
        }
    }

    /// The error for a file whose content is not what the app wrote.
    package static let unreadable = Problem(code: "note", message: "The note cannot be read. Check dataFolder.")

    /// Removes a file, unless another process has removed it already.
    private func remove(_ file: URL) throws {
        do { try FileManager.default.removeItem(at: file) } catch CocoaError.fileNoSuchFile {}
    }

    private func names() throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    /// Returns the file for an id, named in hexadecimal so that no id can refer to another path.
    private func file(_ owner: String) -> URL {
        let name = owner.utf8.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return folder.appending(path: "\(name).txt")
    }
}
