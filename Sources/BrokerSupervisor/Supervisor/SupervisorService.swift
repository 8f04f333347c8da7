// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
package import DeviceKeyStore
package import DeviceSettings
internal import Files
internal import Glibc
package import Logging
package import MDMClient
package import Processes
internal import ServiceLifecycle
package import UnixSocket

/// The broker's supervisor as a service of a process: the sockets and the supervisor's thread.
package struct SupervisorService: Service {
    private let configuration: SupervisorConfiguration
    private let device: any MDMClientInterface
    private let inputs: Mailbox<SupervisorInput>
    private let executable: String
    private let inherited: InheritedDescriptors
    private let logger: Logger
    private let clock: SupervisorClock
    private let isAnnounced: Bool
    private let watch: @Sendable (WatchedSession) -> Void
    private let askDirectory: @Sendable () -> Void
    private let inspect: @Sendable () async -> [CheckResult]
    private let platform: (any TrustedPlatform)?
    private let helloPatience: Duration
    private let successor: DepartureAnswers?

    /// The path of the running program (proc(5)). The path stays valid after the program's file on disk was replaced,
    /// so that the supervisor and the session process always have the same version.
    package static let ownExecutable = "/proc/self/exe"

    /// How long an agent that has connected may take to send its hello.
    package static let helloPatience = Duration.seconds(5)

    /// - Parameters:
    ///   - executable: the program that is started with the argument `session` for each session process.
    ///   - inherited: the descriptors that the service manager passed to this process.
    ///   - platform: the TPM with the device's keys, if the device has one.
    ///   - helloPatience: how long an agent that has connected may take to send its hello.
    ///   - isAnnounced: whether the service manager was already notified that this process serves.
    ///   - watch: called on the supervisor's thread with the state that the device reports to its server; must not
    ///     block.
    ///   - askDirectory: asks the identity platform for the status of the device's registration; must not block.
    ///   - inspect: returns the findings of other parts of this process, for `baton doctor`.
    ///   - successor: answers operators once the state of a departing device is erased.
    package init(
        configuration: SupervisorConfiguration, device: any MDMClientInterface, inputs: Mailbox<SupervisorInput>,
        executable: String = ownExecutable, inherited: InheritedDescriptors = .none, logger: Logger,
        clock: SupervisorClock = .system, platform: (any TrustedPlatform)? = nil,
        helloPatience: Duration = helloPatience, isAnnounced: Bool = false,
        watch: @escaping @Sendable (WatchedSession) -> Void, askDirectory: @escaping @Sendable () -> Void = {},
        inspect: @escaping @Sendable () async -> [CheckResult] = { [] }, successor: DepartureAnswers? = nil
    ) {
        self.successor = successor
        self.configuration = configuration
        self.device = device
        self.inputs = inputs
        self.executable = executable
        self.inherited = inherited
        self.logger = logger
        self.clock = clock
        self.isAnnounced = isAnnounced
        self.watch = watch
        self.askDirectory = askDirectory
        self.inspect = inspect
        self.platform = platform
        self.helloPatience = helloPatience
    }

    /// Serves until the process is asked to stop. Notifies the service manager when it is ready.
    ///
    /// - Throws: the error that made it impossible to serve. In that case the session is over.
    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    try BlockingThread.start { continuation.resume(with: Result { try serve() }) }
                } catch { continuation.resume(throwing: error) }
            }
        } onGracefulShutdown: {
            inputs.post(.stop)
        }
    }

    private func serve() throws {
        try Directory(path: configuration.runtimeDirectory).make(mode: 0o755)
        let inheritedState = try InheritedState(inherited, logger: logger)
        let lock = try RuntimeLock.take(configuration.runtimeDirectory, inheritedState)
        defer { withExtendedLifetime(lock) {} }
        let listeners = AppListeners(
            configuration: configuration, inheritedState: inheritedState, ownUser: geteuid(), inputs: inputs,
            now: clock.now,
            logger: logger)
        let sockets = try BrokerSockets(
            configuration: configuration, inheritedState: inheritedState, listeners: listeners, ownUser: geteuid(),
            inputs: inputs, helloPatience: helloPatience, logger: logger)
        defer { sockets.close() }
        let farewell = Farewell(
            keys: DeviceFiles(root: Directory(path: configuration.directory), platform: platform).keyStore,
            https: { [configuration] in try HTTPSClient(for: configuration) }, logger: logger)
        let supervisor = try Supervisor(
            configuration: configuration, device: device, inputs: inputs, executable: executable,
            listeners: listeners, logger: logger, clock: clock, platform: platform,
            watch: watch, askDirectory: askDirectory, inspect: inspect, farewell: farewell,
            successor: successor)
        try supervisor.run(keptKeys: inheritedState.keys) {
            try sockets.open()
            if !isAnnounced { try ServiceNotification.ready() }
        }
    }
}
