// SPDX-License-Identifier: Apache-2.0
import Foundation
import SampleParts
import WardRoundState
import Workers

/// Stores the notes of each worker as JSON, one file for each worker.
struct Notes {
    private let files: WorkerFiles

    init(dataFolder: String) { files = WorkerFiles(dataFolder: dataFolder) }

    func read(owner: String) throws(Problem) -> [Note] {
        guard let content = try files.read(owner: owner) else { return [] }
        do { return try JSONDecoder().decode([Note].self, from: content) } catch { throw WorkerFiles.unreadable }
    }

    func write(_ notes: [Note], owner: String) throws(Problem) {
        guard let content = try? JSONEncoder().encode(notes) else { throw WorkerFiles.unreadable }
        try files.write(content, owner: owner)
    }

    func erase(keeping owner: String?) throws(Problem) { try files.erase(keeping: owner) }
}
