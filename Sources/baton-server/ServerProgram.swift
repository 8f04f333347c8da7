// SPDX-License-Identifier: Apache-2.0
internal import ArgumentParser

/// `baton-server`: runs the server, or copies, backs up and restores its databases while no server is running.
@main
struct ServerProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baton-server", abstract: "Baton's server.", version: ServerVersion.current,
        subcommands: [BatonServer.self, StorageCommand.self], defaultSubcommand: BatonServer.self)
}
