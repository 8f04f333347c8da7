// SPDX-License-Identifier: Apache-2.0
package import ArgumentParser
internal import Processes

extension AsyncParsableCommand {
    /// Runs the command that the program's arguments name; this is the program's `main`. With `--json`, errors in the
    /// arguments are printed as JSON, too.
    package static func runProgram() async {
        do {
            var command = try await asyncParseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            guard exitCode(for: error) == .validationFailure, CommandLine.arguments.contains("--json") else {
                exit(withError: error)
            }
            let failure = CommandFailure(
                code: "command_line", message: message(for: error), remedy: "See: \(OwnProgram.name) --help.",
                exitCode: .validationFailure)
            try? failure.print(asJSON: true)
            exit(withError: failure.exitCode)
        }
    }
}
