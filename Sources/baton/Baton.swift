// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import CommandLineInterface

/// The command line for workers and administrators.
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
            DeviceCommand.self, DoctorCommand.self, AccountCommand.self, BrowserCommand.self, HomeCommand.self,
            ReceiptCommand.self, AdminCommand.self,
        ])

    static func main() async { await runProgram() }
}
