// SPDX-License-Identifier: Apache-2.0
internal import Glibc
package import JSON
package import Logging
package import Observability
internal import Processes

/// The configuration of `baton-agent`. Keys are required unless the table says otherwise; unknown keys are errors.
///
/// | key | type | meaning |
/// |---|---|---|
/// | `socket` | string | absolute path of the broker's `agent.sock` |
/// | `browser.command` | list of strings | see ``BrowserCommandLine`` |
/// | `browser.kind` | string | see ``ManagedBrowser``; optional |
/// | `browser.host` | string | see ``ManagedBrowser``; required with `browser.kind` |
/// | `browser.signIn` | list of strings | the command of the sign-in window, in the format of `browser.command`; only with `browser.kind` |
/// | `browser.readable` | list of strings | absolute paths of further files and folders that the windows may read; only with `browser.kind` |
/// | `browser.accessible` | boolean | whether a screen reader can read the worker's browser (default: false); only with `browser.kind` |
/// | `browser.profiles` | string | absolute path of the folder for profiles; only the agent may use it |
/// | `trash` | string | absolute path of the folder to which the agent moves apps' folders, on the file system of these folders; only the agent may use it (default: `.local/state/baton/trash` in the user's home) |
/// | `logLevel` | string | trace, debug, info (default), notice, warning, error, critical |
/// | `logFormat` | string | text (default), json |
package struct AgentConfiguration: Sendable {
    /// The JSON text from which this configuration was read.
    package let json: [UInt8]
    package let socket: String
    package let command: BrowserCommandLine
    package let profiles: String
    package let trash: String
    /// The browser that the agent configures; nil if the command starts a program that the agent does not configure.
    package let managed: ManagedBrowser?
    package let logLevel: Logger.Level
    package let logFormat: LogFormat

    /// The maximum size of the text in bytes.
    static let maximum = 64 << 10

    /// Reads a JSON text (RFC 8259).
    ///
    /// - Throws: ``ConfigurationFailure``.
    package init(json: [UInt8]) throws(ConfigurationFailure) {
        let limits = JSONLimits(bytes: Self.maximum, depth: 4, values: 256, stringBytes: 4096)
        let value: JSONValue
        do throws(JSONFailure) { value = try JSONReader.read(json, limits: limits) } catch {
            throw ConfigurationFailure(key: "The file", cause: "is not JSON (\(error))", remedy: "Correct it there.")
        }
        let root = try ConfigurationSection(
            value, at: "", keys: ["socket", "browser", "trash", "logLevel", "logFormat"])
        let browser = try ConfigurationSection(
            root.members["browser"] ?? .null, at: "browser.",
            keys: ["command", "kind", "signIn", "readable", "accessible", "host", "profiles"])
        self.json = json
        socket = try root.path("socket")
        profiles = try browser.path("profiles")
        trash = root.members["trash"] == nil ? try Self.trashAtHome() : try root.path("trash")
        command = try BrowserCommandLine(browser.texts("command", maximum: 256), key: "browser.command")
        managed = try Self.managed(browser, command: command, socket: socket)
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

    private static func trashAtHome() throws(ConfigurationFailure) -> String {
        guard let home = SystemUser(number: geteuid())?.home, home.hasPrefix("/") else {
            throw ConfigurationFailure(
                key: "trash", cause: "is missing, and this user has no home folder", remedy: "Name a folder there.")
        }
        return (home == "/" ? "" : home) + "/.local/state/baton/trash"
    }

    private static func managed(
        _ browser: ConfigurationSection, command: BrowserCommandLine, socket: String
    ) throws(ConfigurationFailure) -> ManagedBrowser? {
        guard let kind = browser.members["kind"] else { return nil }
        guard let known = kind.string.flatMap(ManagedBrowser.Kind.init) else {
            throw ConfigurationFailure(
                key: "browser.kind", cause: "is not a browser that the agent can configure",
                remedy: "Use chromium or firefox, or leave it out.")
        }
        let signIn =
            browser.members["signIn"] == nil
            ? (known == .chromium ? command : .signInWindow)
            : try BrowserCommandLine(browser.texts("signIn", maximum: 256), key: "browser.signIn")
        let readable = browser.members["readable"] == nil ? [] : try browser.texts("readable", maximum: 64)
        guard readable.allSatisfy({ $0.hasPrefix("/") && $0.count > 1 }) else {
            throw ConfigurationFailure(
                key: "browser.readable", cause: "contains a path that is not absolute", remedy: "Give full paths.")
        }
        let accessible = browser.members["accessible"] ?? .bool(false)
        guard let isAccessible = accessible.bool else {
            throw ConfigurationFailure(
                key: "browser.accessible", cause: "is not a boolean", remedy: "Use true or false, or leave it out.")
        }
        let folder = socket.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        return ManagedBrowser(
            kind: known, command: command, signInCommand: signIn, host: try browser.path("host"),
            brokerSocket: folder + "/broker.sock", readable: readable, isAccessible: isAccessible)
    }
}
