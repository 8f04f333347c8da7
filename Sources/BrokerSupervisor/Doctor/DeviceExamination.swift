// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceSettings
internal import Files
internal import Glibc
internal import MDMClient
internal import Processes
internal import SessionIPC
internal import SwiftASN1
internal import X509

/// The examination for `baton doctor`: facts that the supervisor has in memory, and checks of disk and network that run
/// outside the supervisor's thread.
struct DeviceExamination: Sendable {
    private let status: DeviceStatus
    private let known: [CheckResult]
    private let join: JoinRecord?
    private let refusals: RefusalRing
    private let leases: LeaseCount?
    private let files: DeviceFiles
    private let configuration: SupervisorConfiguration
    private let clock: SupervisorClock
    private let helper: HelperClient?
    private let inspect: @Sendable () async -> [CheckResult]

    /// - Parameters:
    ///   - known: the findings from the facts that the supervisor has in memory.
    ///   - inspect: returns the findings of other parts of this process.
    init(
        status: DeviceStatus, known: [CheckResult], join: JoinRecord?, refusals: RefusalRing, leases: LeaseCount?,
        files: DeviceFiles, configuration: SupervisorConfiguration, clock: SupervisorClock, helper: HelperClient?,
        inspect: @escaping @Sendable () async -> [CheckResult]
    ) {
        (self.status, self.known, self.join) = (status, known, join)
        (self.refusals, self.leases) = (refusals, leases)
        (self.files, self.configuration, self.clock) = (files, configuration, clock)
        (self.helper, self.inspect) = (helper, inspect)
    }

    private static var coreLimit: CheckResult {
        var limit = rlimit()
        let outcome = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        return outcome == 0 && limit.rlim_max == 0
            ? CheckResult(.host, .good, code: "core_forbidden", message: "The broker writes no core file.")
            : CheckResult(
                .host, .bad, code: "core_allowed", message: "The broker may write core files.",
                remedy: "Set LimitCORE=0 in its unit.")
    }

    /// Runs the remaining checks and returns the diagnosis, including the events that would change the device's state.
    func diagnosis() async -> Diagnosis {
        let diagnosis = SessionDiagnosis(status)
        var findings = known + diagnosis.findings
        findings.append(await .helper(helper))
        let inspected = await inspect()
        findings += inspected
        // The registration's last known status is reported only if the check could not determine the current status.
        if inspected.contains(where: { $0.code == CheckResult.registrationUnknown }), let known = status.registration {
            findings += known.findings
        }
        let (files, leases) = (files, leases)
        do {
            findings += try await blocking {
                FileFindings(state: files.root).all + KeyFindings(state: files.root).all
                    + ReceiptFindings(state: files.root).all
                    + OfflineFindings(folder: files.offline, count: leases).all
            }
        } catch {
            findings.append(FileFindings.closed(files.root.path))
        }
        if let join {
            if let https = try? await blocking({ [configuration] in try HTTPSClient(for: configuration) }) {
                findings += await ServerFindings(join: join, https: https, now: clock.now).all
            } else {
                findings.append(.trustRootsUnreadable)
            }
        }
        findings.append(Self.coreLimit)
        return Diagnosis(
            status: status, movers: diagnosis.movers, findings: findings, refusals: refusals.records,
            unlisted: refusals.unlisted)
    }
}

extension CheckResult {
    fileprivate static let trustRootsUnreadable = CheckResult(
        .server, .bad, code: "trust_roots_unreadable", message: "The file of trust roots cannot be read.",
        remedy: "Correct trustRoots in batond.json.")
}
