// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandLineInterface
import Glibc

/// The options of a command whose effect cannot be undone. It asks for confirmation at the terminal, unless `--yes` is
/// given.
struct ConfirmationOptions: ParsableArguments {
    @Flag(help: "Do not ask for confirmation.")
    var yes = false
    @OptionGroup var output: OutputOptions

    /// Runs `body` once it is confirmed, and prints its result as ``OutputOptions/run(_:lines:)`` does.
    func run<Value: Encodable>(
        _ consequence: String, _ body: () async throws -> Value, lines: (Value) -> [String]
    ) async throws {
        try await output.run(
            {
                if !yes { try confirm(consequence) }
                return try await body()
            }, lines: lines)
    }

    /// - Throws: ``CommandFailure`` `not_confirmed` if the answer is not yes, or if nobody can be asked.
    private func confirm(_ consequence: String) throws {
        let refusal = CommandFailure(
            code: "not_confirmed", message: "Nothing was done: the answer was not yes.",
            remedy: "Run it at a terminal and type yes, or give --yes.")
        guard !output.json, isatty(STDIN_FILENO) == 1 else { throw refusal }
        try OutputOptions.print([TextTable.printableLines(consequence), "Type yes to continue:"], to: STDERR_FILENO)
        guard readLine() == "yes" else { throw refusal }
    }
}
