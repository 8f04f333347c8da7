// SPDX-License-Identifier: Apache-2.0
package import OAuth
package import Storage

/// An organisation's rules for sign-in at a shared device while the server is unreachable. Without rules, offline
/// sign-in is not possible.
package struct OfflineRules: Sendable, Equatable {
    /// The accepted credentials; never empty.
    package let credentials: Set<OfflineLease.Credential>
    /// Seconds of wall-clock time from the issue of a lease to its end.
    package let wallSeconds: Int
    package let limits: OfflineLease.Limits

    /// The usual value of ``wallSeconds``: half a day. After this time, even a device without a network no longer
    /// accepts a person who was removed from the organisation.
    package static let usualSeconds = 12 * 60 * 60
    /// The maximum of ``wallSeconds``: a week.
    package static let maximumSeconds = 7 * 24 * 60 * 60

    /// Creates rules. Returns nil if there is no credential, or if a value is out of range. The ranges are 1 minute to
    /// 1 week for both times, 0 to 100 boots and 1 to 20 attempts.
    package init?(credentials: Set<OfflineLease.Credential>, wallSeconds: Int, limits: OfflineLease.Limits) {
        guard !credentials.isEmpty, (60...Self.maximumSeconds).contains(wallSeconds),
            (60...Self.maximumSeconds).contains(limits.poweredSeconds), (0...100).contains(limits.boots),
            (1...20).contains(limits.attempts)
        else { return nil }
        (self.credentials, self.wallSeconds, self.limits) = (credentials, wallSeconds, limits)
    }
}

extension OfflineRules: Record {
    package static let table = "offlineRules"

    package enum Column: String, ColumnName {
        case tenant, credentials, wallSeconds, poweredSeconds, boots, attempts
    }

    package init(_ row: TableRow<OfflineRules>) throws {
        let words: String = try row[.credentials]
        let credentials = words.split(separator: " ").map { OfflineLease.Credential(rawValue: String($0)) }
        let rules = OfflineRules(
            credentials: Set(credentials.compactMap(\.self)), wallSeconds: try row[.wallSeconds],
            limits: OfflineLease.Limits(
                poweredSeconds: try row[.poweredSeconds], boots: try row[.boots], attempts: try row[.attempts]))
        guard let rules, !credentials.contains(nil) else {
            throw StorageError(.unexpectedValue, "the rules of offline sign-in are not known")
        }
        self = rules
    }

    /// Returns the organisation's rules; nil if offline sign-in is off.
    ///
    /// - Throws: ``StorageError``
    package static func of(_ tenant: TenantID, _ connection: any Connection) throws -> OfflineRules? {
        try connection.record(OfflineRules.self, "WHERE tenant = \(tenant)")
    }

    /// Replaces the stored rules, or removes them if `rules` is nil. Withdraws every lease of the organisation.
    ///
    /// - Throws: ``StorageError``
    static func keep(_ rules: OfflineRules?, for tenant: TenantID, _ connection: any Connection) throws {
        try connection.execute("DELETE FROM offlineRules WHERE tenant = \(tenant)")
        try OfflineLeases(connection).withdrawAll(tenant: tenant)
        guard let rules else { return }
        let words = rules.credentials.map(\.rawValue).sorted().joined(separator: " ")
        try connection.insert(
            into: OfflineRules.self,
            [
                .tenant: tenant, .credentials: words, .wallSeconds: rules.wallSeconds,
                .poweredSeconds: rules.limits.poweredSeconds, .boots: rules.limits.boots,
                .attempts: rules.limits.attempts,
            ])
    }
}
