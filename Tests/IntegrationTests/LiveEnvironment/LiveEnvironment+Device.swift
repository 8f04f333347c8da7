// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import TestSupport

/// What the device has written down.
extension LiveEnvironment {
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
    ///
    /// - Parameter root: what stands before the paths of a broker that sees other file systems.
    func serverHearsOfEveryEnd(below root: String = "") async throws {
        let folder = root + path("device")
        try await FolderWatch(folder).until("told the server") { try Self.endedSessions(in: folder).isEmpty }
    }

    /// Waits until the journal says `state`, in which the device must stay for a while.
    func journalSays(_ state: String) async throws { try await journal { $0 == state } }

    /// Waits until the journal says anything but `state`.
    func journalLeaves(_ state: String) async throws { try await journal { $0 != state } }

    private func journal(holds: @escaping @Sendable (String) -> Bool) async throws {
        struct Record: Decodable { let state: String }
        let folder = path("device")
        try await FolderWatch(folder).until("in the journal") {
            let bytes = try Data(contentsOf: URL(filePath: folder + "/journal"))
            return holds(try JSONDecoder().decode(Record.self, from: bytes).state)
        }
    }

    /// The counter of the device's epoch.
    func epochCounter() async throws -> UInt64 {
        guard let epoch = try await status().epoch else { throw TestProblem("the epoch cannot be read") }
        return epoch.counter
    }

    /// Nothing of a session is on the live paths.
    var isClean: Bool {
        get throws {
            try names(in: "device/session").isEmpty && names(in: "run/profiles").isEmpty
                && !FileManager.default.fileExists(atPath: path("device/live-session.json"))
        }
    }
}
