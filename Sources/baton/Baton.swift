// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// The command line for workers, administrators and developers.
@main
struct Baton: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baton",
        abstract: "One device, many hands, nothing left behind.",
        discussion: """
            Exit codes: 0 done; 1 refused or failed, with the reason and what to do on standard error; \
            64 wrong command line; 69 the server or the broker cannot be reached.
            """,
        subcommands: [
            UpCommand.self, DemoCommand.self, DeviceCommand.self, AccountCommand.self, AdminCommand.self,
        ])
}
