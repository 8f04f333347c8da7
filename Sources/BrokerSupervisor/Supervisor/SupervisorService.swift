// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerIPC
internal import BrokerProtocol
package import DeviceEnrollment
internal import Files
internal import Glibc
package import Logging
package import Processes
internal import ServiceLifecycle
package import UnixSocket

/// The broker's supervisor as a part of a process: sockets, and the one thread that decides.
package struct SupervisorService: Service {
    private let configuration: SupervisorConfiguration
    private let device: any DeviceManaged
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

    /// This very program, also after another one has taken its place on the disk (proc(5)): supervisor and session's
    /// process are always of one version.
    package static let ownExecutable = "/proc/self/exe"

    /// How long an agent that has connected may leave its hello.
    package static let helloPatience = Duration.seconds(5)

    /// - Parameters:
    ///   - executable: the program that is started with the argument `session` for each session process.
    ///   - inherited: what the service manager handed to this process.
    ///   - platform: the chip with the device's keys, where it has one.
    ///   - helloPatience: how long an agent that has connected may leave its hello.
    ///   - isAnnounced: whether the service manager has been told already that this process serves.
    ///   - watch: hears what the device states to its server, from the supervisor's thread; must not block.
    ///   - askDirectory: has the identity platform asked how the device's registration stands; must not block.
    ///   - inspect: what the parts beside the supervisor know for `baton doctor`.
    ///   - successor: answers operators when the state of a device that leaves is erased.
    package init(
        configuration: SupervisorConfiguration, device: any DeviceManaged, inputs: Mailbox<SupervisorInput>,
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

    /// Serves until the process is asked to end; says so to the service manager when it is ready.
    ///
    /// - Throws: what made it impossible to serve; the session is over then.
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
