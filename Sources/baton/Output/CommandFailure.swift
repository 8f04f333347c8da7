// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc

/// Why a command failed: code, cause and remedy, like every error of Baton.
struct CommandFailure: Error, Codable, CustomStringConvertible {
    /// A stable code, for programs.
    let code: String
    let message: String
    let remedy: String
    /// The command's exit code; see the exit codes in docs/administration.md.
    var exitCode = ExitCode.failure

    private enum CodingKeys: String, CodingKey { case code, message, remedy }

    var description: String { "\(message) [\(code)]\n  \(remedy)" }

    func print(asJSON: Bool) throws {
        if asJSON {
            try OutputOptions.print(json: ["error": self], to: STDERR_FILENO)
        } else {
            try OutputOptions.print(["baton: \(self)"], to: STDERR_FILENO)
        }
    }
}

extension CommandFailure {
    /// Creates the failure for an error that no command expects.
    init(unexpected error: any Error) {
        self.init(
            code: "unexpected", message: "The command failed: \(error).",
            remedy: "Check that the disk has room and that the files are yours.")
    }

    /// The output of a command cannot be written.
    static func unwritten(errno number: Int32) -> CommandFailure {
        CommandFailure(
            code: "output_unwritten",
            message: "The output cannot be written: \(unsafe String(cString: strerror(number))).",
            remedy: "Check that the disk has room and that the program that reads the output is still running, then "
                + "run the command again.")
    }
}

extension ExitCode {
    /// The server or the broker cannot be reached.
    static let unreachable = ExitCode(EX_UNAVAILABLE)
}
