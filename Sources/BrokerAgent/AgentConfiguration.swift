// SPDX-License-Identifier: Apache-2.0
package import JSON
package import Logging
package import Observability

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
/// | `logFormat` | string | text (default), json |
package struct AgentConfiguration: Sendable {
    package let socket: String
    package let command: BrowserCommand
    package let profiles: String
    /// The browser that the agent configures; nil if the command is another program.
    package let managed: ManagedBrowser?
    package let logLevel: Logger.Level
    package let logFormat: LogFormat

    /// Reads a JSON text (RFC 8259).
    ///
    /// - Throws: ``ConfigurationFailure``.
    package init(json: [UInt8]) throws(ConfigurationFailure) {
        let limits = JSONLimits(bytes: 64 << 10, depth: 4, values: 256, stringBytes: 4096)
        let value: JSONValue
        do throws(JSONFailure) { value = try JSONReader.read(json, limits: limits) } catch {
            throw ConfigurationFailure(key: "The file", cause: "is not JSON (\(error))", remedy: "Correct it there.")
        }
        let root = try ConfigurationSection(value, at: "", keys: ["socket", "browser", "logLevel", "logFormat"])
        let browser = try ConfigurationSection(
            root.members["browser"] ?? .null, at: "browser.", keys: ["command", "kind", "host", "profiles"])
        socket = try root.path("socket")
        profiles = try browser.path("profiles")
        managed = try Self.managed(browser, socket: socket)
        command = try BrowserCommand(browser.texts("command", maximum: 256))
        guard let level = Logger.Level(rawValue: root.members["logLevel"]?.string ?? "info") else {
            throw ConfigurationFailure(
                key: "logLevel", cause: "is not a log level",
                remedy: "Use trace, debug, info, notice, warning, error or critical.")
        }
        logLevel = level
        guard let format = LogFormat(rawValue: root.members["logFormat"]?.string ?? "text") else {
            throw ConfigurationFailure(key: "logFormat", cause: "is not a log format", remedy: "Use text or json.")
        }
        logFormat = format
    }

    private static func managed(
        _ browser: ConfigurationSection, socket: String
    ) throws(ConfigurationFailure) -> ManagedBrowser? {
        guard let kind = browser.members["kind"] else { return nil }
        guard let known = kind.string.flatMap(ManagedBrowser.Kind.init) else {
            throw ConfigurationFailure(
                key: "browser.kind", cause: "is not a browser that the agent can configure",
                remedy: "Use chromium or firefox, or leave it out.")
        }
        let folder = socket.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        return ManagedBrowser(kind: known, host: try browser.path("host"), brokerSocket: folder + "/broker.sock")
    }
}
