// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Where the programs of the world are: beside `baton`, as the build puts them.
struct ProgramFiles: Sendable {
    let server: String
    let broker: String
    let agent: String
    let sample: String
    /// Where this program and those beside it are.
    let folder: String

    /// - Parameter sample: the sample app, built in its own package.
    init(sample: String) throws {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        folder = own.path
        func program(_ name: String) throws -> String {
            let path = own.appending(path: name).path
            guard FileManager.default.isExecutableFile(atPath: path) else {
                throw CommandFailure(
                    code: "program_missing", message: "\(path) is missing.", remedy: "Build the package: swift build.")
            }
            return path
        }
        server = try program("baton-server")
        broker = try program("batond")
        agent = try program("baton-agent")
        self.sample = URL(filePath: sample).path
        guard FileManager.default.isExecutableFile(atPath: self.sample) else {
            throw CommandFailure(
                code: "sample_missing", message: "The sample app \(self.sample) is missing.",
                remedy: "Build it: make sample, or give its path with --sample.")
        }
    }
}
