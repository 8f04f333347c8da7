// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
package import ArgumentParser
internal import Glibc
internal import Processes

/// Why a command failed: code, cause and remedy, like every error of Baton.
package struct CommandFailure: Error, Codable, CustomStringConvertible {
    /// A stable code, for programs.
    package let code: String
    package let message: String
    package let remedy: String
    /// The objects that an ambiguous name can mean; see ``AdminFailure/Reason``.
    package var candidates: [AdminFailure.Candidate]?
    package var moreCandidates: Int?
    /// The names of the members that somebody else has changed meanwhile.
    package var changed: [String]?
    /// The command's exit code; see the exit codes in docs/administration.md.
    package var exitCode = ExitCode.failure

    private enum CodingKeys: String, CodingKey { case code, message, remedy, candidates, moreCandidates, changed }

    package init(code: String, message: String, remedy: String, exitCode: ExitCode = .failure) {
        (self.code, self.message, self.remedy, self.exitCode) = (code, message, remedy, exitCode)
    }

    package var description: String {
        // Most messages name what they are about.
        let candidates = (candidates ?? []).filter { !message.contains($0.id) }.map { "\($0.id)  \($0.name)" }
        let changed = (changed ?? []).filter { !message.contains($0) }.map { "changed: \($0)" }
        let lines = (candidates + changed).prefix(Self.maximumLines).map(TextTable.printable) + [remedy]
        // Messages contain arguments and a server's words, which may contain anything.
        return TextTable.printableLines("\(message) [\(code)]\n" + lines.map { "  \($0)" }.joined(separator: "\n"))
    }

    private static let maximumLines = 20

    /// Returns this failure with another remedy.
    package func withRemedy(_ remedy: String) -> CommandFailure {
        var other = CommandFailure(code: code, message: message, remedy: remedy, exitCode: exitCode)
        (other.candidates, other.moreCandidates, other.changed) = (candidates, moreCandidates, changed)
        return other
    }

    package func print(asJSON: Bool) throws {
        if asJSON {
            try OutputOptions.print(json: ["error": self], to: STDERR_FILENO)
        } else {
            try OutputOptions.print(["\(OwnProgram.name): \(self)"], to: STDERR_FILENO)
        }
    }
}

extension CommandFailure {
    /// Converts an error: a ``CommandFailure`` remains as it is, and any other error becomes the failure for an
    /// unexpected error.
    package init(reading error: any Error) { self = error as? CommandFailure ?? CommandFailure(unexpected: error) }

    /// Returns this failure with a later failure added to its message. The code remains the code of this failure.
    ///
    /// - Parameters:
    ///   - act: what failed afterwards, as a sentence without its full stop.
    ///   - remedy: what to do about it.
    package func adding(_ other: CommandFailure, doing act: String, remedy addition: String) -> CommandFailure {
        CommandFailure(
            code: code, message: "\(message) \(act): \(other.message) [\(other.code)]",
            remedy: "\(remedy) \(addition)", exitCode: exitCode)
    }

    /// Creates the failure for an error that no command expects.
    package init(unexpected error: any Error) {
        self.init(
            code: "unexpected", message: "The command failed: \(error).",
            remedy: "Check that the disk has room and that the files are yours.")
    }

    /// Returns the failure for output that cannot be written.
    package static func unwritten(errno number: Int32) -> CommandFailure {
        CommandFailure(
            code: "output_unwritten",
            message: "The output cannot be written: \(unsafe String(cString: strerror(number))).",
            remedy: "Check that the disk has room and that the program that reads the output is still running, then "
                + "run the command again.")
    }
}

extension ExitCode {
    /// The exit code if the server or the broker cannot be reached.
    package static let unreachable = ExitCode(EX_UNAVAILABLE)
}
