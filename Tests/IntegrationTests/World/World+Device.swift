// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What the device has written down.
extension World {
    /// A session that the server has yet to hear the end of.
    struct EndedSession: Decodable {
        let serverSession: String
        let fromBrowser: Bool
    }

    func endedSessions() throws -> [EndedSession] { try Self.endedSessions(in: path("device")) }

    private static func endedSessions(in folder: String) throws -> [EndedSession] {
        let file = URL(filePath: folder + "/ended-sessions.json")
        return try JSONDecoder().decode([EndedSession].self, from: Data(contentsOf: file))
    }

    /// Waits until the server knows of every session that ended here.
    func serverHearsOfEveryEnd() async throws {
        let folder = path("device")
        try await FolderWatch(folder).until("told the server") { try Self.endedSessions(in: folder).isEmpty }
    }
}
