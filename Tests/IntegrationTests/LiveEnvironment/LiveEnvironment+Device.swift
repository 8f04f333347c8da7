// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import TestSupport

/// The folder of a broker.
struct DeviceFolder: Sendable {
    let path: String

    /// An ended session whose end has not been reported to the server yet.
    struct EndedSession: Decodable {
        let serverSession: String
        let fromBrowser: Bool
    }

    func endedSessions() throws -> [EndedSession] {
        try JSONDecoder().decode(
            [EndedSession].self, from: Data(contentsOf: URL(filePath: path + "/ended-sessions.json")))
    }

    /// Waits until every end of a session has been reported to the server.
    func untilReported() async throws {
        try await FolderWatch(path).until("told the server") { try endedSessions().isEmpty }
    }

    /// Waits until the journal's state satisfies the condition. The device must stay in that state for a while.
    func journal(holds: @escaping @Sendable (String) -> Bool) async throws {
        struct Record: Decodable { let state: String }
        try await FolderWatch(path).until("in the journal") {
            let bytes = try Data(contentsOf: URL(filePath: path + "/journal"))
            return holds(try JSONDecoder().decode(Record.self, from: bytes).state)
        }
    }
}

/// The state that the device keeps on disk.
extension LiveEnvironment {
    private var folder: DeviceFolder { DeviceFolder(path: path("device")) }

    func endedSessions() throws -> [DeviceFolder.EndedSession] { try folder.endedSessions() }

    /// Waits until every end of a session has been reported to the server.
    ///
    /// - Parameter root: a prefix for the device's paths, for a broker in another mount namespace.
    func serverHearsOfEveryEnd(below root: String = "") async throws {
        try await DeviceFolder(path: root + path("device")).untilReported()
    }

    /// Waits until the journal's state is `state`. The device must stay in that state for a while.
    func journalSays(_ state: String) async throws { try await folder.journal { $0 == state } }

    /// Waits until the journal's state is no longer `state`.
    func journalLeaves(_ state: String) async throws { try await folder.journal { $0 != state } }

    /// The counter of the device's epoch.
    func epochCounter() async throws -> UInt64 {
        guard let epoch = try await status().epoch else { throw TestProblem("the epoch cannot be read") }
        return epoch.counter
    }

    /// Whether the live paths contain nothing of a session.
    var isClean: Bool {
        get throws {
            try names(in: "device/session").isEmpty && names(in: "run/profiles").isEmpty
                && !FileManager.default.fileExists(atPath: path("device/live-session.json"))
        }
    }
}
