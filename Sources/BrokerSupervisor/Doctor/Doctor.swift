// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceKeyStore
internal import DeviceSettings
internal import Processes
internal import SwiftASN1
internal import X509

/// Owns the facts in the supervisor's memory that `baton doctor` examines.
final class Doctor {
    /// Recent refusals of apps' requests; in memory only.
    private var refusals = RefusalRing()
    private let device: ConfiguredDevice
    private let configuration: SupervisorConfiguration
    private let files: DeviceFiles
    private let join: JoinFlow
    private let agent: ConnectedAgent
    private let locks: AppLocks
    private let processes: AppProcesses
    private let removal: AppDataRemoval
    private let serverSessions: ServerSessions
    private let leases: OfflineLeaseCount
    private let restart: PendingRestart
    private let reports: StateReports
    private let helper: HelperClient?
    private let clock: SupervisorClock
    /// Returns the findings of other parts of this process.
    private let inspect: @Sendable () async -> [CheckResult]

    init(
        device: ConfiguredDevice, configuration: SupervisorConfiguration, files: DeviceFiles, join: JoinFlow,
        agent: ConnectedAgent, locks: AppLocks, processes: AppProcesses, removal: AppDataRemoval,
        serverSessions: ServerSessions, leases: OfflineLeaseCount, restart: PendingRestart, reports: StateReports,
        helper: HelperClient?, clock: SupervisorClock, inspect: @escaping @Sendable () async -> [CheckResult]
    ) {
        (self.device, self.configuration, self.files, self.join) = (device, configuration, files, join)
        (self.agent, self.locks, self.processes, self.removal) = (agent, locks, processes, removal)
        (self.serverSessions, self.leases, self.restart) = (serverSessions, leases, restart)
        (self.reports, self.helper, self.clock, self.inspect) = (reports, helper, clock, inspect)
    }

    /// Records that an app was refused.
    ///
    /// - Parameter before: the number of preceding refusals that came too fast to be reported.
    func note(_ record: RefusalRecord, before: Int) {
        refusals.add(record)
        refusals.unlisted += before
    }

    /// Answers `baton doctor` with facts from memory, and with checks of disk and network that run outside this thread.
    func examine(answer: @escaping @Sendable (OperatorReply) -> Void) {
        let examination = examination
        Task {
            let diagnosis = await examination.diagnosis()
            // Sending the answer blocks if the operator does not read it, and a task must not block.
            _ = try? await blocking { answer(.diagnosis(diagnosis)) }
        }
    }

    /// An examination of the device as it is now.
    var examination: DeviceExamination {
        let status = reports.status
        let restarting = restart.finding(isReplaced: OwnProgram.isReplaced, now: clock.now())
        return DeviceExamination(
            status: status, known: known(status) + [restarting].compactMap(\.self), join: join.record,
            refusals: refusals, leases: leases.count, files: files, configuration: configuration, clock: clock,
            helper: helper, inspect: inspect)
    }

    private func known(_ status: DeviceStatus) -> [CheckResult] {
        let now = clock.now()
        var findings = CheckResult.sharedMode(
            device.management.settings, isJoined: join.record != nil, mode: device.snapshot.mode)
        findings += CheckResult.apps(device.registry)
        findings += CheckResult.lockedApps(
            status.lockedApps, withoutEraser: locks.appsWithoutEraser, locks.reasons,
            obstacles: processes.obstacles(to: locks.epochs))
        findings += removal.endedProcesses.map { .ended($0) }
        findings += removal.appsWithoutFolder.sorted().map { .withoutFolder($0) }
        if agent.foldersLeft > 0 { findings.append(.dataLeft(agent.foldersLeft)) }
        findings += CheckResult.connections(status.connectionLimits ?? [])
        findings += CheckResult.sessionPolicy(device.policy, refusal: device.policyError)
        findings += CheckResult.input(device.policy, isReceived: agent.hasReceivedInput, status: status)
        if let link = agent.link, let other = agent.refusedAgent {
            findings.append(.refusedAgent(other, while: link.text))
        }
        if let obstacle = agent.obstacleToWindows { findings.append(.closed(by: obstacle)) }
        if let join = join.record {
            findings.append(
                .certificate(
                    of: "device", titled: "The device's certificate from the directory",
                    try? Certificate(pemEncoded: join.certificate), now: now,
                    remedy: "Remove the device from the directory, and join again."))
        }
        let untold = serverSessions.ended.count
        if untold > 0 {
            findings.append(
                CheckResult(
                    .server, .note, code: "ends_untold",
                    message: "Ended sessions not reported to the identity platform: \(untold). The broker retries."))
        }
        return findings
    }
}
