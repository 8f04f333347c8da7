// SPDX-License-Identifier: Apache-2.0
internal import ArgumentParser
internal import Glibc
internal import Logging
internal import Observability

/// `baton-server --config FILE`: runs the identity platform and the other configured services in one process.
struct BatonServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves Baton's identity platform; the default.",
        discussion: """
            Stops cleanly on SIGTERM and SIGINT. Reports readiness by the sd_notify protocol. Exit codes: 0 after a \
            clean stop, 64 for a wrong command line, 78 for a wrong configuration, 1 for every other failure.
            """)

    @Option(name: .long, help: "The configuration file (JSON); see docs/reference/configuration.md.")
    var config: String

    func run() async throws {
        do {
            // Files and sockets that the process creates are accessible only to its user.
            umask(0o077)
            let configuration = try ServerConfiguration(file: config)
            configuration.monitoring.logFormat.bootstrap(level: configuration.monitoring.logLevel)
            try await Composition(configuration).run(logger: Logger(label: "baton-server"))
        } catch let error as ServerError {
            error.print()
            throw ExitCode(error.isConfiguration ? EX_CONFIG : EXIT_FAILURE)
        } catch {
            ServerError(
                .stopped, "The server cannot continue: \(error).",
                remedy: "Check that the server's ports are free and its directory is intact; the log above says more."
            ).print()
            throw ExitCode.failure
        }
    }
}
