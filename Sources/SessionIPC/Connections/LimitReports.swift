// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import DeviceSettings

/// Recent closures and refusals due to connection limits. Kept in memory only, and bounded.
package struct LimitReports: Sendable {
    private struct Entry: Sendable {
        var report: ConnectionLimitReport
        /// The number of closures and refusals since the last published report.
        var untold = 0
        var told: Int?
    }

    private var entries: [Entry] = []

    private static let capacity = 16

    package init() {}

    /// Adds a report.
    ///
    /// - Parameter pause: the minimum number of seconds between two published reports about the same app and limit.
    /// - Returns: the report to publish now, which counts everything since the last published report; nil if the last
    ///   report was published less than `pause` seconds ago.
    package mutating func note(_ report: ConnectionLimitReport, pause: Int) -> ConnectionLimitReport? {
        var entry = Entry(report: report)
        if let index = entries.firstIndex(where: { $0.report.isAbout(sameAs: report) }) {
            entry = entries.remove(at: index)
            let known = entry.report
            entry.report = report
            entry.report.first = known.first
            entry.report.closed = known.closed + report.closed
        }
        entry.untold += report.closed
        defer {
            // Drop the entry that was updated longest ago.
            if entries.count == Self.capacity { entries.removeFirst() }
            entries.append(entry)
        }
        if let told = entry.told, told <= report.last, report.last < told + pause { return nil }
        var due = report
        due.closed = entry.untold
        (entry.untold, entry.told) = (0, report.last)
        return due
    }

    /// Returns the reports that were updated at or after `time` (in seconds), the latest last.
    package func since(_ time: Int) -> [ConnectionLimitReport] { entries.map(\.report).filter { $0.last >= time } }
}

extension ConnectionLimitReport {
    package init(_ limit: Limit, _ stage: Stage, of process: AppProcess, held: Int, at time: Int) {
        self.init(
            app: process.app.identity.bundleID, user: process.app.user, process: process.number, stage: stage,
            limit: limit, held: held, at: time)
    }
}
