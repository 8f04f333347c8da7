// SPDX-License-Identifier: Apache-2.0
internal import JSON
package import Logging

/// The configuration of `baton-agent`. Keys are required unless the table says otherwise; unknown keys are errors.
///
/// | key | type | meaning |
/// |---|---|---|
/// | `socket` | string | absolute path of the broker's `agent.sock` |
/// | `browser.command` | list of strings | see ``BrowserCommand`` |
/// | `browser.kind` | string | see ``ManagedBrowser``; optional |
/// | `browser.host` | string | see ``ManagedBrowser``; required with `browser.kind` |
/// | `browser.profiles` | string | absolute path of the folder for profiles; only the agent may use it |
/// | `logLevel` | string | trace, debug, info (default), notice, warning, error, critical |
package struct AgentConfiguration: Sendable {
    package let socket: String
    package let command: BrowserCommand
    package let profiles: String
    /// The browser that the agent configures; nil if the command is another program.
    package let managed: ManagedBrowser?
    package let logLevel: Logger.Level

    /// Reads a JSON text (RFC 8259).
    ///
    /// - Throws: ``ConfigurationFailure``.
    package init(json: [UInt8]) throws(ConfigurationFailure) {
        let limits = JSONLimits(bytes: 64 << 10, depth: 4, values: 256, stringBytes: 4096)
        let value: JSONValue
        do throws(JSONFailure) { value = try JSONReader.read(json, limits: limits) } catch {
            throw ConfigurationFailure(key: "The file", cause: "is not JSON (\(error))", remedy: "Correct it there.")
        }
        let root = try Section(value, at: "", keys: ["socket", "browser", "logLevel"])
        let browser = try Section(
            root.members["browser"] ?? .null, at: "browser.", keys: ["command", "kind", "host", "profiles"])
        socket = try root.path("socket")
        profiles = try browser.path("profiles")
        managed = try Self.managed(browser, socket: socket)
        let words = (browser.members["command"]?.array ?? []).map(\.string)
        let command = words.compactMap(\.self)
        guard command.count == words.count else {
            throw ConfigurationFailure(
                key: "browser.command", cause: "is not a list of strings", remedy: "Quote every word of the command.")
        }
        self.command = try BrowserCommand(command)
        guard let level = Logger.Level(rawValue: root.members["logLevel"]?.string ?? "info") else {
            throw ConfigurationFailure(
                key: "logLevel", cause: "is no level",
                remedy: "Use trace, debug, info, notice, warning, error or critical.")
        }
        logLevel = level
    }

    private static func managed(
        _ browser: Section, socket: String
    ) throws(ConfigurationFailure) -> ManagedBrowser? {
        guard let kind = browser.members["kind"] else { return nil }
        guard let known = kind.string.flatMap(ManagedBrowser.Kind.init) else {
            throw ConfigurationFailure(
                key: "browser.kind", cause: "is no browser that the agent can configure",
                remedy: "Use chromium or firefox, or leave it out.")
        }
        let folder = socket.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        return ManagedBrowser(kind: known, host: try browser.path("host"), brokerSocket: folder + "/broker.sock")
    }

    /// One object of the file, which may contain known keys only.
    private struct Section {
        let members: [String: JSONValue]
        let place: String

        init(_ value: JSONValue, at place: String, keys: [String]) throws(ConfigurationFailure) {
            guard let members = value.object else {
                throw ConfigurationFailure(
                    key: place.isEmpty ? "The file" : String(place.dropLast()), cause: "is not an object",
                    remedy: "Give an object with the keys \(keys.joined(separator: ", ")).")
            }
            for key in members.keys.sorted() where !keys.contains(key) {
                throw ConfigurationFailure(
                    key: place + key, cause: "is not a key of this file",
                    remedy: "Remove it, or use one of: \(keys.joined(separator: ", ")).")
            }
            self.members = members
            self.place = place
        }

        func path(_ key: String) throws(ConfigurationFailure) -> String {
            guard let path = members[key]?.string, path.hasPrefix("/") else {
                throw ConfigurationFailure(
                    key: place + key, cause: "is missing or no absolute path", remedy: "Give a path that begins with /."
                )
            }
            return path
        }
    }
}
