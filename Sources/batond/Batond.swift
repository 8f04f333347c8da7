// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import Logging
import SessionIPC

/// The program: the supervisor, or the session process that it starts from the same file.
@main
enum EntryPoint {
    static func main() async {
        // Apps wait for the session process at the end of each session, and ArgumentParser takes several milliseconds
        // to look up its types, so it does not read these arguments.
        guard let session = SessionProcessArguments(Array(CommandLine.arguments.dropFirst())) else {
            return await Batond.main()
        }
        ServeSession.run(session)
    }
}

/// The broker daemon.
struct Batond: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batond",
        abstract: "The broker of a shared device: one sign-in for every app, one sign-out that leaves nothing behind.",
        version: BrokerVersion.current, subcommands: [Supervise.self], defaultSubcommand: Supervise.self)
}
