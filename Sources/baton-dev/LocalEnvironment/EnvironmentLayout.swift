// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
import CommandLineInterface
internal import Files
import FoundationEssentials
import Glibc
import UnixSocket

/// The paths of an environment's parts, which are all in one folder.
struct EnvironmentLayout: Sendable {
    let root: String

    var server: String { root + "/server" }
    var device: String { root + "/device" }
    var run: String { root + "/run" }
    /// The file whose existence shows apps that the device is managed.
    var managedMarker: String { root + "/public/managed" }
    /// The home screen's configuration, as the broker publishes it.
    var homeScreen: String { WellKnownPath.homeScreen(beside: managedMarker) }
    /// Browser profiles, one per epoch.
    var profiles: String { root + "/run/profiles" }
    var apps: String { root + "/apps" }
    /// The folder into which the agent moves the data that it takes away from apps.
    var trash: String { root + "/trash" }
    var logs: String { root + "/logs" }
    var configuration: String { root + "/configuration" }
    /// The programs that the MDM distributes.
    var packages: String { root + "/packages" }
    var facts: String { root + "/environment.json" }
    /// The client ids of the developer's own apps, by the apps' ids.
    var ownApps: String { configuration + "/own-apps.json" }
    /// The file that a shell sources to use this environment.
    var environment: String { root + "/environment" }
    /// The file that describes the person at the browser, if a program acts as that person.
    var person: String { configuration + "/person.json" }
    var trustRoots: String { server + "/ca/root.pem" }
    var serverCertificate: String { server + "/ca/server.pem" }

    func app(_ number: Int) -> String { apps + "/\(number)" }

    /// The folder in which a sample app keeps the worker's data.
    func data(ofApp number: Int) -> String { app(number) + "/data" }

    private var folders: [String] { [server, device, run, profiles, apps, trash, logs, configuration, packages] }

    /// Refuses a folder that contains files that do not belong to an environment.
    ///
    /// - Throws: ``CommandFailure``.
    func refuseStrangers() throws {
        guard !FileManager.default.fileExists(atPath: facts) else { return }
        // The demo's environment may be inside. An environment whose setup was interrupted has only some of its
        // folders.
        let known = Set(folders.map { String($0.dropFirst(root.count + 1)) } + ["demo"])
        guard let stranger = try Directory(path: root).names().first(where: { !known.contains($0) }) else { return }
        throw CommandFailure(
            code: "folder_not_empty", message: "\(root) is not an environment, but contains \(stranger).",
            remedy: "Give an empty folder, or a new one, with --directory.")
    }

    /// Creates the folders, accessible to their owner only.
    ///
    /// - Throws: ``CommandFailure``.
    func make() throws {
        // A socket's path holds at most 107 bytes (unix(7)). The readiness sockets have the longest paths.
        guard (run + "/baton-server.ready").utf8.count <= 107 else {
            throw CommandFailure(
                code: "path_too_long",
                message: "The path of the environment's folder is too long for sockets: \(root).",
                remedy: "Give one of at most \(107 - "/run/baton-server.ready".utf8.count) bytes with --directory.")
        }
        for folder in [root] + folders {
            do { try Directory(path: folder).make(mode: 0o700) } catch {
                throw CommandFailure(
                    code: "folder_not_made", message: "The environment's folder cannot be made: \(error).",
                    remedy: "Give another one with --directory, which you may write to.")
            }
        }
    }

    /// Locks the environment for this process until the descriptor is closed.
    ///
    /// - Throws: ``CommandFailure`` if another process holds the lock.
    func lock() throws -> Descriptor {
        do throws(FileError) { return try Directory(path: root).lock() } catch {
            guard error.errno == EWOULDBLOCK else { throw error }
            throw CommandFailure(
                code: "environment_in_use", message: "The environment in \(root) runs already.",
                remedy: "End it with Ctrl-C in its terminal, or give another folder with --directory.")
        }
    }

    /// Returns the facts of the folder's environment; nil in a new folder.
    ///
    /// - Throws: ``CommandFailure`` if the file exists and cannot be read. The file is then never replaced.
    func knownFacts() throws -> EnvironmentFacts? {
        do {
            guard let bytes = try AtomicFile(path: facts).read() else { return nil }
            return try JSONDecoder().decode(EnvironmentFacts.self, from: Data(bytes))
        } catch {
            throw CommandFailure(
                code: "environment_unreadable", message: "\(facts) cannot be read.",
                remedy: "Make it readable, or remove the folder \(root) and start again.")
        }
    }

    /// Writes a text file that only its owner may read.
    func write(text: String, to path: String) throws {
        try AtomicFile(path: path).replace(with: Array(text.utf8), mode: 0o600)
    }

    /// Writes a file that only its owner may read.
    func write(_ value: some Encodable, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try write(text: String(decoding: try encoder.encode(value), as: UTF8.self), to: path)
    }
}
