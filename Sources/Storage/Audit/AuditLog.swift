// SPDX-License-Identifier: Apache-2.0

/// The append-only record of administrative acts and sign-ins, in the table `audit` of an engine's database.
///
/// Each line is written in the transaction of the act that it records, so no act is committed without its line. The log
/// identifies people by object id, never by name.
///
/// Lines are ordered by their positions. A position does not depend on other lines, so transactions that append at the
/// same time do not conflict (docs/decisions/0022-audit-positions-from-the-clock.md).
package struct AuditLog {
    /// The actor in lines about acts of the machine's operator.
    package static let localOperator = "operator"
    /// The actor in lines about acts of the server itself.
    package static let server = "server"

    /// The id of the current request. A transaction's body runs in the task that requested it, so it sees this value.
    @TaskLocal package static var correlation: String?

    /// The address of the client that sent the current request over the network; nil if there is none.
    @TaskLocal package static var clientAddress: String?

    /// The interface through which the administrator of the current request acts; nil for other requests.
    @TaskLocal package static var interface: AuditInterface?

    let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// Appends a line.
    ///
    /// - Throws: ``StorageError``
    package func append(_ line: AuditLine) throws { try append(line, clientAddress: Self.clientAddress) }

    private func append(_ line: AuditLine, clientAddress: String?) throws {
        for _ in 0..<Self.attempts {
            let isAdded =
                try connection.insert(
                    into: AuditEntry.self,
                    [
                        .tenant: line.tenant, .position: AuditPositions.next(at: line.time), .time: line.time,
                        .actor: line.actor, .action: line.action, .subject: line.subject, .outcome: line.outcome,
                        .repetitions: 1, .method: line.method, .detail: line.detail, .correlation: Self.correlation,
                        .clientAddress: clientAddress, .interface: Self.interface,
                    ], "ON CONFLICT (tenant, position) DO NOTHING") == 1
            if isAdded { return }
        }
        throw StorageError(.busy, "no position is free for a line of the audit log")
    }

    /// The maximum number of positions that are tried for one line. Usually the first one is free.
    private static let attempts = 100

    /// Increments the counter of an equal line that is less than ten minutes old, or appends the line if there is no
    /// such line. Use this method for events that anybody can cause any number of times.
    ///
    /// Events from different addresses are counted in different lines, but at most ``maximumAddresses`` lines have an
    /// address. One more line, without an address, counts the events from all other addresses.
    ///
    /// - Throws: ``StorageError``
    package func appendOrCount(_ line: AuditLine) throws {
        let equal = try connection.records(
            AuditEntry.self,
            """
            WHERE tenant = \(line.tenant) AND actor = \(line.actor) AND time > \(line.time - .seconds(600))
                AND action = \(line.action) AND outcome = \(line.outcome) AND COALESCE(subject, '') = \(line.subject ?? "")
                AND COALESCE(method, '') = \(line.method?.rawValue ?? "")
            ORDER BY position DESC LIMIT \(Self.maximumAddresses + 1)
            """)
        var address = Self.clientAddress
        if equal.count >= Self.maximumAddresses, !equal.contains(where: { $0.clientAddress == address }) {
            address = nil
        }
        guard let same = equal.first(where: { $0.clientAddress == address }) else {
            return try append(line, clientAddress: address)
        }
        try connection.execute(
            """
            UPDATE audit SET repetitions = repetitions + 1
            WHERE tenant = \(line.tenant) AND position = \(same.position)
            """)
    }

    /// The maximum number of lines with an address for equal events within ten minutes.
    private static let maximumAddresses = 10

    /// Returns the newest `count` lines in chronological order.
    ///
    /// - Throws: ``StorageError``
    package func latest(_ count: Int, tenant: TenantID) throws -> [AuditEntry] {
        try connection.records(
            AuditEntry.self, "WHERE tenant = \(tenant) ORDER BY position DESC LIMIT \(count)"
        ).reversed()
    }

    /// Returns the lines that meet the condition and come before a position, the newest first.
    ///
    /// - Throws: ``StorageError``
    package func lines(where condition: SQL, before: Int64, limit: Int, tenant: TenantID) throws -> [AuditEntry] {
        try connection.records(
            AuditEntry.self,
            """
            WHERE tenant = \(tenant) AND position < \(before)\(condition) ORDER BY position DESC LIMIT \(limit)
            """)
    }

    /// Returns how many lines meet the condition.
    ///
    /// - Throws: ``StorageError``
    package func count(where condition: SQL, tenant: TenantID) throws -> Int {
        try connection.count(of: AuditEntry.self, "WHERE tenant = \(tenant)\(condition)")
    }

    /// Removes lines that were written at `time` or earlier.
    ///
    /// - Returns: how many lines were removed, at most `limit`.
    /// - Throws: ``StorageError``
    @discardableResult
    package func remove(until time: Timestamp, limit: Int, tenant: TenantID) throws -> Int {
        try connection.execute(
            """
            DELETE FROM audit WHERE tenant = \(tenant) AND position IN (
                SELECT position FROM audit WHERE tenant = \(tenant) AND time <= \(time) LIMIT \(limit))
            """)
    }
}
