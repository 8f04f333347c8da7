// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Where the parts of a world keep what is theirs, under one folder.
struct WorldLayout: Sendable {
    let root: String

    var server: String { root + "/server" }
    var device: String { root + "/device" }
    var run: String { root + "/run" }
    /// What tells apps that the device is managed.
    var managedMarker: String { root + "/public/managed" }
    /// Browser profiles, one an epoch.
    var profiles: String { root + "/run/profiles" }
    var apps: String { root + "/apps" }
    var logs: String { root + "/logs" }
    var configuration: String { root + "/configuration" }
    /// The programs that the MDM hands out.
    var packages: String { root + "/packages" }
    var facts: String { root + "/world.json" }
    /// Who sits at the browser, where a program acts for a person.
    var person: String { configuration + "/person.json" }
    var trustRoots: String { server + "/ca/root.pem" }
    var serverCertificate: String { server + "/ca/server.pem" }

    func app(_ number: Int) -> String { apps + "/\(number)" }

    /// Makes the folders, each for its owner alone.
    func make() throws {
        for folder in [root, server, device, run, profiles, apps, logs, configuration, packages] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        // A socket's path holds at most 107 bytes (unix(7)).
        guard (run + "/control.sock").utf8.count <= 107 else {
            throw CommandFailure(
                code: "path_too_long", message: "The path of the world's folder is too long for sockets.",
                remedy: "Give a shorter one with --directory.")
        }
    }

    /// Writes a file for its owner alone.
    func write(_ value: some Encodable, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = URL(filePath: path)
        try encoder.encode(value).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
