// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC

/// The command line for workers, administrators and developers.
@main
struct Baton: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baton",
        abstract: "One device, many hands, nothing left behind.",
        discussion: """
            Exit codes: 0 done; 1 refused or failed, with the reason and what to do on standard error; \
            64 wrong command line; 69 the server or the broker cannot be reached. With --json standard output contains \
            only JSON, and an error is one JSON object on standard error.
            """,
        version: BrokerVersion.current,
        subcommands: [
            UpCommand.self, RunAppCommand.self, DemoCommand.self, DeviceCommand.self, DoctorCommand.self,
            AccountCommand.self,
            BrowserCommand.self, HomeCommand.self,
            ReceiptCommand.self, AdminCommand.self,
        ])

    /// Runs the command that the arguments name. With `--json`, errors in the arguments are printed as JSON, too.
    static func main() async {
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
                code: "command_line", message: message(for: error), remedy: "See: baton --help.",
                exitCode: .validationFailure)
            try? failure.print(asJSON: true)
            exit(withError: failure.exitCode)
        }
    }
}
