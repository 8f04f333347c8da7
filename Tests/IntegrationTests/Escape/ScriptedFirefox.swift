// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import Foundation
import Glibc
import TestSupport

/// A real Firefox that a program of Tests/Person starts, with Baton's script for Firefox's own pages.
enum ScriptedFirefox {
    /// The folder that the program gets: it contains the folder `open`, whose files Firefox may show.
    static func folder(in scratch: Scratch) -> String { scratch.path("firefox") }

    /// Runs the program in a mount namespace of its own, and returns what it has written.
    ///
    /// - Parameter files: the texts of further files, by their paths below the folder.
    static func result<Value: Decodable>(
        of program: String, files: [String: String], in scratch: Scratch
    ) async throws -> Value {
        let folder = URL(filePath: folder(in: scratch))
        let own = [
            "baton.js": FirefoxInternalPages.preferences,
            "baton.cfg": FirefoxInternalPages.script(openFolders: [folder.path + "/open"]),
        ]
        try FileManager.default.createDirectory(at: folder.appending(path: "open"), withIntermediateDirectories: true)
        for (path, text) in own.merging(files, uniquingKeysWith: { $1 }) {
            let place = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: place)
        }
        let namespace = ["--mount"] + (getuid() == 0 ? [] : ["--map-root-user"])
        let run = try await RunningProgram.start(
            "/usr/bin/unshare",
            namespace + ["/usr/bin/python3", "\(Repository.root)/Tests/Person/\(program)", folder.path],
            log: program + ".log", awaitsReady: false, in: scratch)
        guard try await run.waitForExit() == 0 else { throw TestProblem(try run.log()) }
        return try JSONDecoder().decode(Value.self, from: Data(contentsOf: folder.appending(path: "result.json")))
    }
}
