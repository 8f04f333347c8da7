// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceSettings
internal import FoundationEssentials
internal import Glibc
internal import SessionIPC

/// Counts what happens on the device since the broker started. Used only on the supervisor's thread.
final class DeviceCounter {
    private let clock: SupervisorClock
    private var metrics = DeviceMetrics()
    /// The epoch whose end is being carried out, and when this process committed it; nil if no end is being carried
    /// out.
    private var committed: (epoch: Epoch, time: ContinuousClock.Instant)?
    /// The last epoch in which a worker signed in.
    private var signedIn: Epoch?

    private static let operations = Set(Operation.all.map(\.rawValue) + ["other"])
    private static let codes = Set(BrokerError.Code.all.map(\.rawValue))

    init(clock: SupervisorClock) {
        self.clock = clock
        metrics.started = clock.now()
    }

    /// Counts the event that a journal record stands for. A record may be written again, with other apps.
    func note(_ record: JournalRecord) {
        switch record {
        case .ready: finish()
        case .signingIn: count(.admitted)
        case .signedIn(let epoch, _, _):
            guard signedIn != epoch else { return }
            signedIn = epoch
            count(.succeeded)
        case .signingOut(let commit): begin(commit)
        }
    }

    private func count(_ outcome: DeviceMetrics.SignInOutcome) { metrics.signIns[outcome.rawValue, default: 0] += 1 }

    private func begin(_ commit: Commit) {
        guard committed?.epoch != commit.ended else { return }
        committed = (commit.ended, clock.moment())
        if commit.isAttempt { count(.failed) }
        guard let trigger = commit.trigger else { return }
        metrics.ends[trigger.rawValue, default: 0] += 1
    }

    private func finish() {
        guard let committed else { return }
        metrics.handovers.add(committed.time.duration(to: clock.moment()))
        self.committed = nil
    }

    /// Adds the counts of a session process. A name that the protocol does not define is ignored.
    func add(_ counts: SessionCounts, isPresent: Bool) {
        for (operation, count) in counts.requests where Self.operations.contains(operation) {
            metrics.requests[operation, default: 0] += count
        }
        for (code, count) in counts.errors where Self.codes.contains(code) {
            metrics.errors[String(code), default: 0] += count
        }
        metrics.connectionsOpened += counts.opened
        metrics.connectionsLimited += counts.limited
        if isPresent { metrics.connectionsOpen = counts.open }
    }

    /// Returns all counts, with the current state and memory use.
    func report(session: String, mode: String, sessionProcess: pid_t?) -> DeviceMetrics {
        var report = metrics
        (report.session, report.mode) = (session, mode)
        report.memory["supervisor"] = Self.residentBytes(of: getpid())
        report.memory["session"] = sessionProcess.flatMap(Self.residentBytes)
        if sessionProcess == nil { report.connectionsOpen = 0 }
        return report
    }

    private static func residentBytes(of process: pid_t) -> Int? {
        guard let data = try? Data(contentsOf: URL(filePath: "/proc/\(process)/statm")) else { return nil }
        let fields = String(decoding: data, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
    }
}
