// SPDX-License-Identifier: Apache-2.0
package import ArgumentParser
internal import Glibc
internal import Processes

extension AsyncParsableCommand {
    /// Runs the command that the program's arguments name; this is the program's `main`. With `--json`, errors in the
    /// arguments are printed as JSON, too.
    package static func runProgram() async {
        do {
            try checkArguments()
            try await runCommand()
            await AtEnd.run()
        } catch {
            await AtEnd.run()
            exit(reporting: error)
        }
    }

    private static func runCommand() async throws {
        var command = try await asyncParseAsRoot()
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    /// Refuses arguments that are not UTF-8. Swift would replace their bytes by other characters.
    private static func checkArguments() throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = unsafe CommandLine.unsafeArgv[index],
                unsafe String(validatingCString: argument) == nil
            else { continue }
            throw CommandFailure(
                code: "argument_not_utf8", message: "Argument \(index) is not UTF-8 text. Nothing was changed.",
                remedy: "Write it in UTF-8. At a terminal, check the locale: locale charmap.",
                exitCode: .validationFailure)
        }
    }

    private static func exit(reporting error: any Error) -> Never {
        let isJSON = CommandLine.arguments.contains("--json")
        if let failure = error as? CommandFailure {
            try? failure.print(asJSON: isJSON)
            exit(withError: failure.exitCode)
        }
        // Everything else has been reported, or is help.
        guard exitCode(for: error) == .validationFailure, !(error is ExitCode) else { exit(withError: error) }
        if isJSON {
            let failure = CommandFailure(
                code: "command_line", message: message(for: error), remedy: "See: \(OwnProgram.name) --help.")
            try? failure.print(asJSON: true)
        } else {
            try? OutputOptions.print([TextTable.printableLines(fullMessage(for: error))], to: STDERR_FILENO)
        }
        exit(withError: ExitCode.validationFailure)
    }
}
