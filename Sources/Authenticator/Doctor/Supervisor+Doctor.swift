// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Files
internal import Glibc
internal import Processes
internal import SwiftASN1
internal import X509

extension Supervisor {
    /// Answers what the operator's `baton doctor` asks: what is known here at once, what must be asked of disk and network
    /// beside this thread.
    func examine(answer: @escaping @Sendable (OperatorReply) -> Void) {
        let (status, snapshot, known) = (status, snapshot, ownFindings)
        let diagnosis = SessionDiagnosis(status)
        let (refusals, files, configuration) = (refusals, files, configuration)
        let (clock, inspect, leaseCount) = (clock, inspect, leaseCount)
        Task {
            var findings = known + diagnosis.findings
            findings += await inspect()
            do {
                findings += try await blocking {
                    FileFindings(state: files.root).all + KeyFindings(state: files.root).all
                        + ReceiptFindings(state: files.root).all
                        + OfflineFindings(folder: files.offline, count: leaseCount).all
                }
            } catch {
                findings.append(FileFindings.closed(files.root.path))
            }
            if let join = snapshot.join {
                if let https = try? await blocking({ [configuration] in try HTTPSClient(for: configuration) }) {
                    findings += await ServerFindings(join: join, https: https, now: clock.now).all
                } else {
                    findings.append(.trustRootsUnreadable)
                }
            }
            let diagnosis = Diagnosis(
                status: status, movers: diagnosis.movers, findings: findings, refusals: refusals.records,
                unlisted: refusals.unlisted)
            // An operator that does not read must not hold up a task.
            _ = try? await blocking { answer(.diagnosis(diagnosis)) }
        }
    }

    /// What this process knows without asking anybody.
    private var ownFindings: [CheckResult] {
        var findings = CheckResult.sharedMode(device.settings, isJoined: join != nil, mode: snapshot.mode)
        findings += CheckResult.apps(registry)
        findings += CheckResult.connections(status.connectionLimits ?? [])
        findings += CheckResult.sessionPolicy(sessionPolicy, refusal: sessionPolicyError)
        findings += CheckResult.input(sessionPolicy, isHeard: hearsInput, status: status)
        if let agent, let rival { findings.append(.refusedAgent(rival, while: agent.text)) }
        if let join {
            findings.append(
                .certificate(
                    "device", "The device's certificate of the directory",
                    try? Certificate(pemEncoded: join.certificate), now: clock.now(),
                    remedy: "Remove the device in the directory, and join anew."))
        }
        if !serverSessions.ended.isEmpty {
            findings.append(
                CheckResult(
                    .server, "ends_untold", .note,
                    "The identity platform has not been told of \(serverSessions.ended.count) ended sessions yet; that goes on."
                ))
        }
        findings.append(Self.coreLimit)
        return findings
    }

    private static var coreLimit: CheckResult {
        var limit = rlimit()
        let outcome = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        return outcome == 0 && limit.rlim_max == 0
            ? CheckResult(.host, "core_forbidden", .good, "The broker writes no core file.")
            : CheckResult(
                .host, "core_allowed", .bad, "The broker may write core files.", remedy: "Set LimitCORE=0 in its unit.")
    }
}

extension CheckResult {
    fileprivate static let trustRootsUnreadable = CheckResult(
        .server, "trust_roots_unreadable", .bad, "The file of trust roots cannot be read.",
        remedy: "Correct trustRoots in batond.json.")
}
