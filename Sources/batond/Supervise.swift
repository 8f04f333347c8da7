// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import BrokerSupervisor
internal import CWipedHeap
import DeviceSettings
internal import Files
import Glibc
import Logging
internal import MDMClient
internal import Observability
import Processes
import ServiceLifecycle
import SessionIPC
import UnixSignals
import UnixSocket

/// Runs the supervisor.
struct Supervise: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the broker on this device.")

    @Option(help: "The configuration file (JSON; see docs/reference/configuration.md).")
    var config: String
    /// Set by the broker itself when it restarts in the same process.
    @Flag(help: .hidden)
    var begunAnew = false

    private func makePrivate(_ state: Directory) throws {
        do throws(FileError) { try state.makePrivate() } catch {
            guard error.errno == EPERM else { throw error }
            throw ConfigurationError(
                file: config,
                cause: "directory (\(state.path)) belongs to another user, or other users have access to it",
                remedy: "Run: chown and chmod 0700; for systemd set StateDirectoryMode=0700.")
        }
    }

    /// The result of the quarantine.
    private enum QuarantineOutcome { case free, recovered, end }

    /// Waits in quarantine as long as the device's state is not trusted.
    ///
    /// - Returns: how to continue. The result is also `.end` if the service manager must restart the broker, because
    ///   the quarantine has used the service manager's sockets.
    private func passQuarantine(
        _ configuration: SupervisorConfiguration, inputs: Mailbox<SupervisorInput>, inherited: InheritedDescriptors,
        logger: Logger
    ) async throws -> QuarantineOutcome {
        let check = DeviceCheck(state: Directory(path: configuration.directory), platform: configuration.platform)
        guard let reason = try await blocking({ try check.reasonToQuarantine() }) else { return .free }
        let quarantine = QuarantineService(
            configuration: configuration, reason: reason, inputs: inputs, inherited: inherited, logger: logger,
            check: check.reasonToQuarantine)
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: quarantine, successTerminationBehavior: .gracefullyShutdownGroup)],
                // Nobody is served, so a restart interrupts nobody.
                gracefulShutdownSignals: [.sigterm, .sigint, .sighup], logger: logger))
        try await group.run()
        guard inherited.all.isEmpty else { return .end }
        return try await blocking { try check.reasonToQuarantine() == nil } ? .recovered : .end
    }

    func run() async throws {
        try Failpoint.check()
        try OwnMemory.shut()
        OwnMemory.shareArenas()
        let inherited = try InheritedDescriptors.take()
        let configuration = try BatondConfiguration(file: config)
        configuration.logFormat.bootstrap(level: configuration.logLevel)
        let logger = Logger(label: "batond")
        // The lock excludes a second broker: two brokers with the same state would both decide who is signed in.
        let state = Directory(path: configuration.supervisor.directory)
        try makePrivate(state)
        let lock = try state.lock()
        defer { withExtendedLifetime(lock) {} }
        try CoreDumps.forbid()
        guard cwipedheap_is_used() else {
            throw ConfigurationError(
                file: "", cause: "freed memory would not be overwritten", remedy: "Install batond again.")
        }
        OpenFileLimit.raise(to: ConnectionLimits.wantedFiles)
        let eraser = DepartureEraser(files: DeviceFiles(root: state))
        try await erase(eraser, logger: logger)
        let inputs = Mailbox<SupervisorInput>()
        let passage = try await passQuarantine(
            configuration.supervisor, inputs: inputs, inherited: inherited, logger: logger)
        guard passage != .end else { return }
        // The sockets of a service manager can be used only once. A broker that has such sockets ends after a
        // departure, and the service manager restarts it.
        let departures = inherited.all.isEmpty ? DepartureAnswers() : nil
        try await serve(
            configuration, inputs: inputs, inherited: inherited, departures: departures,
            isAnnounced: begunAnew || passage == .recovered, logger: logger)
        guard let departures, try await blocking({ try eraser.isDue }) else { return }
        try await erase(eraser, logger: logger)
        try await blocking { departures.settle() }
        try NewImage.begin()
    }

    /// Erases the state that a device gives up when it leaves or is reset, if that is due.
    private func erase(_ eraser: DepartureEraser, logger: Logger) async throws {
        guard let erased = try await blocking({ try eraser.run() }) else { return }
        logger.notice("the device has left", metadata: ["departure.kind": "\(erased.kind.rawValue)"])
    }

    /// Serves until the process is asked to end, or until the device's state must be erased.
    private func serve(
        _ configuration: BatondConfiguration, inputs: Mailbox<SupervisorInput>, inherited: InheritedDescriptors,
        departures: DepartureAnswers?, isAnnounced: Bool, logger: Logger
    ) async throws {
        let state = Directory(path: configuration.supervisor.directory)
        let platform = configuration.supervisor.platform
        let device = try EnrollmentSetup.agent(
            configuration.supervisor, marker: configuration.marker, inputs: inputs, logger: logger)
        let anchors = AnchorUploader(
            state: state, platform: platform, https: EnrollmentSetup.https(configuration.supervisor), logger: logger)
        let pushClient = EnrollmentSetup.pushClient(
            configuration.supervisor, platform, agent: device, inputs: inputs, opened: { anchors.serverReached() },
            logger: logger)
        let supervisor = SupervisorService(
            configuration: configuration.supervisor, device: device, inputs: inputs, inherited: inherited,
            logger: logger, platform: platform, isAnnounced: isAnnounced,
            watch: {
                pushClient.watch($0)
                anchors.watch($0)
            },
            askDirectory: { pushClient.ask() },
            inspect: { await device.findings + [pushClient.status.finding] + pushClient.registrationFindings() },
            successor: departures)
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    // The supervisor ends by itself when the device leaves its directory.
                    .init(service: supervisor, successTerminationBehavior: .gracefullyShutdownGroup),
                    .init(service: device), .init(service: pushClient), .init(service: anchors),
                    .init(service: RestartSignal(inputs: inputs)),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}
