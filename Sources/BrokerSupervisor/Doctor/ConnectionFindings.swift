// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC

extension CheckResult {
    /// Whether apps reach the connection limits of the broker's socket.
    ///
    /// - Parameter reports: the limits that were reached recently.
    package static func connections(_ reports: [ConnectionLimitReport]) -> [CheckResult] {
        guard !reports.isEmpty else {
            return [
                CheckResult(
                    .apps, .good, code: "connections_free",
                    message: "The broker's socket accepts connections from every app.")
            ]
        }
        return reports.map { report in
            CheckResult(
                .apps, .warning, code: "connections_full",
                message: "The limit is reached: \(report.quantity) of \(report.whose). "
                    + "Connections that were refused, or closed to make room: \(report.closed).",
                remedy: "Stop the program that opens them (ss -xp names it); a sign-out ends every app's connection.")
        }
    }
}
