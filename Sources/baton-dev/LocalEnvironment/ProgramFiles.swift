// SPDX-License-Identifier: Apache-2.0
import BrowserWindows
import CommandLineInterface
import FoundationEssentials
import Processes

/// The paths of the environment's programs. Except for the sample apps, they are in the folder of `baton-dev`, where
/// the build puts them.
struct ProgramFiles: Sendable {
    let server: String
    let broker: String
    let agent: String
    let browserHost: String
    /// The command line, which shows the home screen.
    let baton: String
    let firstlineWorker: String
    let wardRound: String
    /// The folder of this program and of the programs next to it.
    let folder = OwnProgram.containingFolder

    /// The folder of Swift's libraries, which programs load unless they are linked statically; nil if every confined
    /// window sees the folder anyway, for example because the toolchain is in `/usr`.
    ///
    /// - Throws: ``FileError`` if the libraries of this process cannot be read.
    static func runtimeToShow() throws -> String? {
        guard let folder = try OwnProgram.folder(ofLibrary: "libswiftCore.so"),
            !VisibleSystemFiles.contain(folder + "/")
        else { return nil }
        return folder
    }

    /// Finds the programs.
    ///
    /// - Parameters:
    ///   - firstlineWorker: the sample app for the terminal, built in the package of the sample apps.
    ///   - wardRound: the sample app with a window, built in the same package.
    init(firstlineWorker: String, wardRound: String) throws {
        server = try Self.program("baton-server", in: folder)
        broker = try Self.program("batond", in: folder)
        agent = try Self.program("baton-agent", in: folder)
        browserHost = try Self.program("baton-browser-host", in: folder)
        baton = try Self.program("baton", in: folder)
        self.firstlineWorker = try Self.sample(firstlineWorker, option: "--sample")
        self.wardRound = try Self.sample(wardRound, option: "--ward-round")
    }

    func program(of sample: EnvironmentFacts.App.Sample) -> String {
        switch sample {
        case .firstlineWorker: firstlineWorker
        case .wardRound: wardRound
        }
    }

    private static func sample(_ file: String, option: String) throws -> String {
        let path = URL(filePath: file).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw CommandFailure(
                code: "sample_missing", message: "The sample app \(path) is missing.",
                remedy:
                    "Run make sample in a clone of Baton's repository, and start the environment there; or give the "
                    + "path of a program with \(option).")
        }
        return path
    }

    /// Returns the path of another program in the same folder.
    func beside(_ name: String) throws -> String { try Self.program(name, in: folder) }

    private static func program(_ name: String, in folder: String) throws -> String {
        let path = folder + "/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw CommandFailure(
                code: "program_missing", message: "\(path) is missing.",
                remedy: "Build the package: scripts/swift build.")
        }
        return path
    }
}
