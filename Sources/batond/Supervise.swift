// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Authenticator
import Glibc
import Logging
import Processes
import ServiceLifecycle
import UnixSignals
import UnixSocket

/// The supervisor.
struct Supervise: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the broker on this device.")

    @Option(help: "The configuration file (JSON; see docs/configuration.md).")
    var config: String

    private func makePrivate(_ state: Directory) throws {
        do throws(FileError) { try state.makePrivate() } catch {
            guard error.errno == EPERM else { throw error }
            throw ConfigurationError(
                file: config, cause: "directory (\(state.path)) belongs to another user, or others may look into it",
                remedy: "Run: chown and chmod 0700; for systemd set StateDirectoryMode=0700.")
        }
    }

    /// What became of the quarantine.
    private enum Passage { case free, recovered, end }

    /// Waits in quarantine for as long as the device's state is not to be believed.
    ///
    /// - Returns: what comes next; the end also where the service manager, whose sockets were used up, starts the broker
    ///   again.
    private func passQuarantine(
        _ configuration: SupervisorConfiguration, _ inputs: Mailbox<SupervisorInput>,
        _ inherited: InheritedDescriptors, _ logger: Logger
    ) async throws -> Passage {
        let check = DeviceCheck(state: Directory(path: configuration.directory))
        guard let reason = try check.reasonToQuarantine() else { return .free }
        let quarantine = QuarantineService(
            configuration: configuration, reason: reason, inputs: inputs, inherited: inherited, logger: logger)
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: quarantine, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
        return try inherited.all.isEmpty && check.reasonToQuarantine() == nil ? .recovered : .end
    }

    func run() async throws {
        try Failpoint.check()
        let inherited = try InheritedDescriptors.take()
        let configuration = try BatondConfiguration(file: config)
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = configuration.logLevel
            return handler
        }
        let logger = Logger(label: "batond")
        // Two brokers on one state would each believe that they alone decide who holds the device.
        let state = Directory(path: configuration.supervisor.directory)
        try makePrivate(state)
        let lock = try state.lock()
        defer { withExtendedLifetime(lock) {} }
        try CoreDumps.forbid()
        let inputs = Mailbox<SupervisorInput>()
        let passage = try await passQuarantine(configuration.supervisor, inputs, inherited, logger)
        guard passage != .end else { return }
        let device = try DeviceEnrolment.agent(
            configuration.supervisor, marker: configuration.marker, inputs: inputs, logger: logger)
        let anchors = AnchorKeeper(
            state: state, https: DeviceEnrolment.https(configuration.supervisor), logger: logger)
        let line = DeviceEnrolment.line(
            configuration.supervisor, agent: device, inputs: inputs, opened: { anchors.serverReached() },
            logger: logger)
        let supervisor = SupervisorService(
            configuration: configuration.supervisor, device: device, inputs: inputs, inherited: inherited,
            logger: logger, isAnnounced: passage == .recovered,
            watch: {
                line.watch($0)
                anchors.watch($0)
            },
            inspect: { await device.findings + [line.standing.finding] })
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: supervisor), .init(service: device), .init(service: line), .init(service: anchors),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}
