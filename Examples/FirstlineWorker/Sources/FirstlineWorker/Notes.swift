// SPDX-License-Identifier: Apache-2.0
import Foundation
import WorkerState

/// One note per worker, in a file whose name says whose it is.
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

    /// Removes every file here but the note of `owner`: other workers' notes and whatever a crash left behind.
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

    /// The id in hexadecimal digits, so that no id can name another place.
    private func file(_ owner: String) -> URL {
        let name = owner.utf8.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return folder.appending(path: "\(name).txt")
    }
}
