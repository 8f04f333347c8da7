// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Authenticator
import Glibc
import Logging
import ServiceLifecycle

/// The supervisor.
struct Supervise: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the broker on this device.")

    @Option(help: "The configuration file (JSON; see docs/configuration.md).")
    var config: String

    func run() async throws {
        let configuration = try BatondConfiguration(file: config)
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = configuration.logLevel
            return handler
        }
        let logger = Logger(label: "batond")
        let device = try ManagedDevice(configuration: configuration.supervisor, logger: logger)
        let supervisor = SupervisorService(
            configuration: configuration.supervisor, device: device, inputs: device.inputs,
            executable: "/proc/self/exe", logger: logger)
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: supervisor), .init(service: device)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}
