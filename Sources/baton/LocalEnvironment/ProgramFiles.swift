// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The paths of the environment's programs, which are beside `baton`, as the build puts them.
struct ProgramFiles: Sendable {
    let server: String
    let broker: String
    let agent: String
    let browserHost: String
    let sample: String
    /// The folder of this program and of those beside it.
    let folder = Self.ownFolder

    /// The folder of the program that this process runs.
    static var ownFolder: String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    }

    /// - Parameter sample: the sample app, built in its own package.
    init(sample: String) throws {
        server = try Self.program("baton-server", in: folder)
        broker = try Self.program("batond", in: folder)
        agent = try Self.program("baton-agent", in: folder)
        browserHost = try Self.program("baton-browser-host", in: folder)
        self.sample = URL(filePath: sample).path
        guard FileManager.default.isExecutableFile(atPath: self.sample) else {
            throw CommandFailure(
                code: "sample_missing", message: "The sample app \(self.sample) is missing.",
                remedy: "Build it: make sample, or give its path with --sample.")
        }
    }

    /// Returns the path of another program beside this one.
    func beside(_ name: String) throws -> String { try Self.program(name, in: folder) }

    private static func program(_ name: String, in folder: String) throws -> String {
        let path = folder + "/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw CommandFailure(
                code: "program_missing", message: "\(path) is missing.", remedy: "Build the package: swift build.")
        }
        return path
    }
}
