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

    let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// Appends a line.
    ///
    /// - Throws: ``StorageError``
    package func append(
        _ action: AuditAction, tenant: TenantID, actor: String, subject: String?, outcome: String = "done",
        method: SignInMethod? = nil, detail: String? = nil, at time: Timestamp
    ) throws {
        try append(
            action, tenant: tenant, actor: actor, subject: subject, outcome: outcome, method: method, detail: detail,
            clientAddress: Self.clientAddress, at: time)
    }

    private func append(
        _ action: AuditAction, tenant: TenantID, actor: String, subject: String?, outcome: String,
        method: SignInMethod?, detail: String?, clientAddress: String?, at time: Timestamp
    ) throws {
        for _ in 0..<Self.attempts {
            let isAdded =
                try connection.insert(
                    into: AuditEntry.self,
                    [
                        .tenant: tenant, .position: AuditPositions.next(at: time), .time: time, .actor: actor,
                        .action: action, .subject: subject, .outcome: outcome, .repetitions: 1, .method: method,
                        .detail: detail, .correlation: Self.correlation,
                        .clientAddress: clientAddress,
                    ], "ON CONFLICT (tenant, position) DO NOTHING") == 1
            if isAdded { return }
        }
        throw StorageError(.busy, "no position is free for a line of the audit log")
    }

    /// How many positions are tried for one line. Another node has rarely taken even the first one.
    private static let attempts = 100

    /// Increments the counter of an equal line that is less than ten minutes old, or appends a line if there is none.
    /// Use this method for events that anybody can cause any number of times.
    ///
    /// Events from different addresses are counted in different lines, but at most ``maximumAddresses`` lines have an
    /// address. One more line, without an address, counts the events from all other addresses.
    ///
    /// - Throws: ``StorageError``
    package func appendOrCount(
        _ action: AuditAction, tenant: TenantID, actor: String, subject: String?, outcome: String,
        method: SignInMethod? = nil, at time: Timestamp
    ) throws {
        let equal = try connection.records(
            AuditEntry.self,
            """
            WHERE tenant = \(tenant) AND actor = \(actor) AND time > \(time - .seconds(600)) AND action = \(action)
                AND outcome = \(outcome) AND COALESCE(subject, '') = \(subject ?? "")
                AND COALESCE(method, '') = \(method?.rawValue ?? "")
            ORDER BY position DESC LIMIT \(Self.maximumAddresses + 1)
            """)
        var address = Self.clientAddress
        if equal.count >= Self.maximumAddresses, !equal.contains(where: { $0.clientAddress == address }) {
            address = nil
        }
        guard let same = equal.first(where: { $0.clientAddress == address }) else {
            return try append(
                action, tenant: tenant, actor: actor, subject: subject, outcome: outcome, method: method, detail: nil,
                clientAddress: address, at: time)
        }
        try connection.execute(
            """
            UPDATE audit SET repetitions = repetitions + 1
            WHERE tenant = \(tenant) AND position = \(same.position)
            """)
    }

    /// The maximum number of lines for equal events within ten minutes that have an address.
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
