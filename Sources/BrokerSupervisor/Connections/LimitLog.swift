// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Logging
internal import SessionIPC
internal import Synchronization

/// Records, for operators and for the log, which apps reach their connection limits. The log gets at most one line a
/// minute for each app and limit. Safe to use from any thread.
final class LimitLog: Sendable {
    private let reports = Mutex(LimitReports())
    private let now: @Sendable () -> Int
    private let logger: Logger

    /// Seconds between two log lines about the same app and limit.
    private static let pause = 60
    /// Seconds for which a report is shown to operators.
    private static let memory = 600

    init(now: @escaping @Sendable () -> Int, logger: Logger) { (self.now, self.logger) = (now, logger) }

    func note(_ report: ConnectionLimitReport) {
        guard let due = reports.withLock({ $0.note(report, pause: Self.pause) }) else { return }
        logger.warning(
            "connections are refused or closed: a limit on connections or open requests is reached",
            metadata: [
                "connections.whose": "\(due.whose)", "connections.stage": "\(due.stage.rawValue)",
                "connections.limit": "\(due.limit.rawValue)", "connections.held": "\(due.held)",
                "connections.closed": "\(due.closed)",
            ])
    }

    /// Records that a connection of `process` was refused, or displaced another connection.
    func note(
        _ limit: ConnectionLimitReport.Limit, _ stage: ConnectionLimitReport.Stage, of process: AppProcess, held: Int
    ) { note(ConnectionLimitReport(limit, stage, of: process, held: held, at: now())) }

    /// The reports of the last ten minutes, for operators.
    var recent: [ConnectionLimitReport] { reports.withLock { $0.since(now() - Self.memory) } }
}
