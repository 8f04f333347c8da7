// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import CommandLineInterface

/// The command line for developers. It belongs to a clone of the repository; no package contains it.
@main
struct BatonDev: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baton-dev",
        abstract: "A whole environment of Baton on this machine, for developers.",
        discussion: """
            Exit codes: 0 done; 1 refused or failed, with the reason and what to do on standard error; \
            64 wrong command line; 69 the environment does not run. With --json standard output contains \
            only JSON, and an error is one JSON object on standard error.
            """,
        version: BrokerVersion.current,
        subcommands: [UpCommand.self, RunAppCommand.self, DemoCommand.self])

    static func main() async { await runProgram() }
}
