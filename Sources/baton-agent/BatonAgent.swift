// SPDX-License-Identifier: Apache-2.0
internal import ArgumentParser
internal import BrokerAgent
internal import BrokerIPC
internal import Files
internal import Glibc
internal import JSON
internal import Logging
internal import Observability
internal import Processes

/// The agent of a worker's graphical session. It owns the browser, so that the browser ends with the session.
@main
struct BatonAgent: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baton-agent",
        abstract: "Opens the browser for Baton's broker, and removes all of its traces.",
        discussion: """
            Runs as the user of the graphical session. Exit codes: 0 stopped as requested, every browser has ended; 64 wrong \
            arguments; 78 unusable configuration; 1 anything else, such as a browser that could not be removed.
            """,
        version: BrokerVersion.current)

    @Option(help: ArgumentHelp("The configuration, a JSON file.", valueName: "file"))
    var config: String

    func run() throws {
        try Failpoint.check()
        try OwnMemory.shut()
        // The signals are blocked before the first thread starts, so that every thread blocks the signals and only the
        // waiting thread receives them.
        BrowserAgent.blockSignals()
        // The agent learns from a window's exit that the window has ended; a write to a window that has ended must not
        // end the agent.
        _ = signal(SIGPIPE, SIG_IGN)
        let former = BrowserAgent.Files.take()
        // A process that has started anew after a session keeps its configuration. See docs/reference/configuration.md.
        let configuration = try read(former?.configuration)
        configuration.logFormat.bootstrap(level: configuration.logLevel)
        let logger = Logger(label: "baton-agent")
        do {
            try BrowserAgent(configuration: configuration, after: former, logger: logger).run()
        } catch {
            logger.critical("agent ends", metadata: ["error": "\(error)"])
            throw ExitCode.failure
        }
    }

    private func read(_ former: [UInt8]?) throws -> AgentConfiguration {
        do {
            guard let json = try former ?? AtomicFile(path: config).read(limit: 1 << 20) else {
                throw ConfigurationFailure(
                    key: "--config", cause: "names no file", remedy: "Name the file that holds the configuration.")
            }
            return try AgentConfiguration(json: json)
        } catch {
            let text = "baton-agent: \(error)\n"
            _ = unsafe write(2, text, text.utf8.count)
            throw ExitCode(78)
        }
    }
}
