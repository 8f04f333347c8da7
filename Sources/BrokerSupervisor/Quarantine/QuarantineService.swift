// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceKeyStore
package import DeviceSettings
internal import Files
internal import Glibc
package import Logging
package import Processes
internal import ServiceLifecycle
package import UnixSocket

/// Runs in place of the supervisor while the device's state is not trusted. It answers only operators and the programs
/// that read the device's state. No app is served, and nobody is signed in.
package struct QuarantineService: Service {
    private let configuration: SupervisorConfiguration
    private let reason: QuarantineReason
    private let inputs: Mailbox<SupervisorInput>
    private let inherited: InheritedDescriptors
    private let logger: Logger
    private let clock: SupervisorClock
    private let check: @Sendable () throws -> QuarantineReason?

    /// The pause before a TPM that failed is checked again.
    private static let pause = Duration.seconds(10)

    /// - Parameters:
    ///   - inputs: the supervisor's mailbox; the supervisor answers requests that arrive while the quarantine ends.
    ///   - check: checks whether there is still a reason for the quarantine. Called only for reasons that may disappear
    ///     by themselves.
    package init(
        configuration: SupervisorConfiguration, reason: QuarantineReason, inputs: Mailbox<SupervisorInput>,
        inherited: InheritedDescriptors, logger: Logger, clock: SupervisorClock = .system,
        check: @escaping @Sendable () throws -> QuarantineReason?
    ) {
        self.clock = clock
        self.check = check
        self.configuration = configuration
        self.reason = reason
        self.inherited = inherited
        self.logger = logger
        self.inputs = inputs
    }

    /// Serves until the state is moved aside, the state is in order again, or the process is asked to stop.
    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await blocking { try serve() }
        } onGracefulShutdown: {
            inputs.post(.stop)
        }
    }

    private func serve() throws {
        logger.critical("quarantined: \(reason.message). \(reason.remedy)")
        try Directory(path: configuration.runtimeDirectory).make(mode: 0o755)
        let inheritedState = try InheritedState(inherited, logger: logger)
        let lock = try RuntimeLock.take(configuration.runtimeDirectory, inheritedState)
        defer { withExtendedLifetime(lock) {} }
        // No session may continue from such a state.
        for key in inheritedState.keys.values { key.destroy() }
        let listeners = AppListeners(
            configuration: configuration, inheritedState: inheritedState, ownUser: geteuid(), inputs: inputs,
            now: { Int(time(nil)) }, logger: logger)
        let sockets = try BrokerSockets(
            configuration: configuration, inheritedState: inheritedState, listeners: listeners, ownUser: geteuid(),
            inputs: inputs, helloPatience: SupervisorService.helloPatience, logger: logger)
        defer { sockets.close() }
        try sockets.open()
        try ServiceNotification.ready()
        awaitPlatform()
        let publisher = StatusPublisher(logger: logger)
        while true {
            switch inputs.take() {
            case .deviceChanged:
                if hasPassed { return }
                awaitPlatform()
            case .operatorAsked(let request, _, let answer): if answered(request, answer) { return }
            case .agentConnected(let link): link.end()
            case .statusReader(let descriptor, let user):
                publisher.add(descriptor, of: user, DeviceState(stage: .quarantined, reason: reason.code))
            case .stop: return
            // Close the app's connection. This tells the app that it is unknown who is signed in.
            case .appsWaiting: _ = listeners.waiting.next()
            default: break
            }
        }
    }

    /// Schedules a new check of a TPM that failed: the TPM may have started late, or recovered.
    private func awaitPlatform() {
        guard case .platform = reason else { return }
        clock.after(Self.pause) { [inputs] in inputs.post(.deviceChanged) }
    }

    /// Whether the TPM works again and the state is in order.
    private var hasPassed: Bool {
        do {
            guard let present = try check() else { return true }
            logger.debug("still quarantined", metadata: ["quarantine.reason": "\(present.code)"])
        } catch { logger.error("the state cannot be checked", metadata: ["error": "\(error)"]) }
        return false
    }

    /// Answers an operator, and returns whether the quarantine is over.
    private func answered(_ request: OperatorRequest, _ answer: (OperatorReply) -> Void) -> Bool {
        switch request {
        case .status:
            answer(.status(status))
            return false
        case .examine:
            answer(.diagnosis(diagnosis))
            return false
        default: break
        }
        guard let command = DeviceCondition.Command(request), condition.refusal(of: command) == nil else {
            answer(.failed(failure))
            return false
        }
        return recovered(answer, thenResets: command == .reset)
    }

    private var condition: DeviceCondition {
        DeviceCondition(
            quarantine: reason.isRecoverable ? .recoverable : .newerFormat, isJoined: false, isEnrolled: false,
            departure: nil)
    }

    /// Moves the state aside, and returns whether that succeeded.
    ///
    /// - Parameter thenResets: whether the device is reset after the sign-out that follows the recovery.
    private func recovered(_ answer: (OperatorReply) -> Void, thenResets: Bool) -> Bool {
        let files = DeviceFiles(root: Directory(path: configuration.directory))
        do {
            let recovery = try Recovery(
                files: files, reason: reason, registry: configuration.appRegistry, now: { Int(time(nil)) })
            if thenResets { try files.write(Departure(kind: .reset, stage: .ordered, deviceID: nil)) }
            let folder = try recovery.run()
            logger.notice("state moved aside", metadata: ["quarantine.folder": "\(folder)"])
            // From here the reset continues by itself, even if this process dies.
            answer(thenResets ? .left(deviceID: nil, isDirectoryTold: false) : .done)
            return true
        } catch {
            let cause = error as? RegistryFailure
            answer(
                .failed(
                    OperatorFailure(
                        code: "recovery_failed",
                        message: "The state cannot be moved aside: \(cause?.message ?? "\(error).")",
                        remedy: cause?.remedy ?? "Check that the disk has room and works, then try again.")))
            return false
        }
    }

    private var failure: OperatorFailure {
        OperatorFailure(
            code: "quarantined", message: "The device serves nobody: \(reason.message).", remedy: reason.remedy)
    }

    private var diagnosis: Diagnosis {
        let diagnosis = SessionDiagnosis(status)
        let state = Directory(path: configuration.directory)
        let files = FileFindings(state: state).all + KeyFindings(state: state).all
        let quarantine = CheckResult(.session, .bad, code: reason.code, message: reason.message, remedy: reason.remedy)
        return Diagnosis(
            status: status, movers: diagnosis.movers, findings: [quarantine] + diagnosis.findings + files, refusals: [],
            unlisted: 0)
    }

    private var status: DeviceStatus {
        DeviceStatus(
            session: DeviceState.Stage.quarantined.rawValue, pending: [], epoch: nil, mode: "quarantined",
            reason: reason.code,
            remedy: reason.remedy, enrolled: false, tenantID: nil, deviceID: nil, apps: [], agentConnected: false,
            keys: KeyFindings(state: Directory(path: configuration.directory)).place?.rawValue)
    }
}
