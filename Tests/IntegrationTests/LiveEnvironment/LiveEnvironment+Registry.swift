// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

extension LiveEnvironment {
    /// Runs `body` with a broker that has this app registry. Afterwards the registry is no longer configured, and the
    /// broker is not running.
    func with(registry: String, mode: mode_t = 0o600, _ body: () async throws -> Void) async throws {
        let file = path("configuration/apps.json")
        try Data(registry.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: Int(mode)], ofItemAtPath: file)
        try await with(configuration: ["appRegistry": file], body)
    }

    /// Runs `body` with a broker whose configuration also has these keys. Afterwards the original configuration is
    /// restored, and no broker runs.
    func with(configuration changes: [String: Any], _ body: () async throws -> Void) async throws {
        let place = URL(filePath: path("configuration/batond.json"))
        let former = try Data(contentsOf: place)
        var configuration = try JSONSerialization.jsonObject(with: former) as? [String: Any] ?? [:]
        configuration.merge(changes) { $1 }
        try JSONSerialization.data(withJSONObject: configuration).write(to: place)
        try await kill(.broker)
        do {
            try await start(.broker)
            try await body()
        } catch {
            try former.write(to: place)
            try? await kill(.broker)
            throw error
        }
        try former.write(to: place)
        try await kill(.broker)
    }

    /// Opens the folders of the sockets to every user, or closes them again.
    func open(toUsers isOpen: Bool) async throws {
        for folder in [path(".."), path(""), path("run")] {
            try FileManager.default.setAttributes([.posixPermissions: isOpen ? 0o711 : 0o700], ofItemAtPath: folder)
        }
    }
}
