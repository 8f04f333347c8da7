// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import BrokerDevice
internal import BrokerIPC
import BrokerSession
public import Logging
import Processes

/// The session process; only the supervisor starts it.
struct ServeSession: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Serve the apps of one session (started by the supervisor).",
        shouldDisplay: false)

    @Option(help: "The least severe messages to log.")
    var logLevel: Logger.Level = .info

    func run() throws {
        try Failpoint.check()
        OwnMemory.shareArenas()
        // The supervisor has raised its own limit of open files, and a child process inherits that limit. A process
        // that was started in another way must raise the limit here.
        OpenFileLimit.raise(to: ConnectionLimits.wantedFiles)
        var logger = Logger(label: "batond.session")
        logger.logLevel = logLevel
        try SessionProcessMain.run(platform: \.platform, logger: logger)
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
