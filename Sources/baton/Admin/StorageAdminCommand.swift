// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandLineInterface
import FoundationEssentials
import Glibc
import Processes

/// Copies, backs up and restores the server's databases.
///
/// `baton-server` does the work, because no other program contains the libraries of the databases.
struct StorageAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage",
        abstract: "Copy, back up and restore the server's databases.",
        discussion: "Run it on the server's machine, as the server's user; see docs/operations/backup.md.",
        subcommands: [Copy.self, Backup.self, Restore.self])

    /// The options of every command.
    struct Options: ParsableArguments {
        @Option(help: "The server's configuration file.")
        var config = "/etc/baton/baton-server.json"

        @OptionGroup var output: OutputOptions

        /// Runs `baton-server storage` instead of this program.
        fileprivate func become(_ command: String, _ words: [String]) async throws {
            try await output.reporting {
                let program = OwnProgram.containingFolder + "/baton-server"
                let arguments =
                    [program, "storage", command, "--config", config] + words + (output.json ? ["--json"] : [])
                let copies = unsafe arguments.map { unsafe strdup($0) } + [nil]
                _ = unsafe execv(program, copies)
                throw CommandFailure(
                    code: "program_missing", message: "\(program) cannot be started, errno \(errno).",
                    remedy: "Run the command on the server's machine, where baton-server is installed.")
            }
        }
    }

    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy the databases from SQLite files to PostgreSQL, while no server runs.")
        @Option(help: "The configuration file with the PostgreSQL database.") var to: String
        @OptionGroup var options: Options

        func run() async throws { try await options.become("copy", ["--to", to]) }
    }

    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a backup of the databases to a new file; servers may run meanwhile.")
        @Option(help: "The new file for the backup.") var output: String
        @OptionGroup var options: Options

        func run() async throws { try await options.become("backup", ["--output", output]) }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Restore the databases from a backup, while no server runs.")
        @Option(help: "The file with the backup.") var input: String
        @Flag(help: "Discard the data that the databases hold. Former SQLite files are kept under another name.")
        var replace = false
        @OptionGroup var options: Options

        func run() async throws {
            try await options.become("restore", ["--input", input] + (replace ? ["--replace"] : []))
        }
    }
}
