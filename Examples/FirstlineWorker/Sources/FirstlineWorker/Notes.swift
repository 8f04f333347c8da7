// SPDX-License-Identifier: Apache-2.0
import Foundation
import WorkerState

/// Stores one note per worker, in a file named after the worker's id.
struct Notes {
    private let folder: URL

    init(dataFolder: String) { folder = URL(filePath: dataFolder).appending(path: "notes") }

    func read(owner: String) throws(Problem) -> String? {
        do {
            return String(decoding: try Data(contentsOf: file(owner)), as: UTF8.self)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch { throw Problem(code: "note", message: "The note cannot be read. Check dataFolder.") }
    }

    func write(_ text: String, owner: String) throws(Problem) {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file(owner), options: .atomic)
        } catch { throw Problem(code: "note", message: "The note cannot be kept. Check dataFolder.") }
    }

    /// Removes every file except the note of `owner`: other workers' notes and anything that a crash left behind.
    func erase(keeping owner: String?) throws(Problem) {
        let kept = owner.map { file($0).lastPathComponent }
        do {
            for name in try names() where name != kept {
                try FileManager.default.removeItem(at: folder.appending(path: name))
            }
        } catch {
            throw Problem(code: "erase", message: "A former worker's note cannot be removed. Check dataFolder at once.")
        }
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
