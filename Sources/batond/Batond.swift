// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import Logging

/// The broker daemon: the supervisor, and the session process that it starts from the same file.
@main
struct Batond: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batond",
        abstract: "The broker of a shared device: one sign-in for every app, one sign-out that leaves nothing behind.",
        version: BrokerVersion.current,
        subcommands: [Supervise.self, ServeSession.self], defaultSubcommand: Supervise.self)
}
