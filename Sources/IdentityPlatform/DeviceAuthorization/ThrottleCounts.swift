// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The counts of one kind in the table of throttles, in one transaction.
struct ThrottleCounts {
    let connection: any Connection
    let tenant: TenantID
    let kind: String

    /// When all that was counted will have been forgiven; nil where nothing is counted.
    func drained(_ hash: [UInt8], at now: Timestamp) throws -> Timestamp? {
        try connection.row(
            """
            SELECT drained FROM signInThrottle
            WHERE tenant = \(tenant) AND kind = \(kind) AND hash = \(hash) AND expires > \(now)
            """)?.value(0)
    }

    func set(_ hash: [UInt8], drained: Timestamp) throws {
        try connection.execute(
            """
            INSERT INTO signInThrottle (tenant, kind, hash, drained, expires)
            VALUES (\(tenant), \(kind), \(hash), \(drained), \(drained))
            ON CONFLICT (tenant, kind, hash) DO UPDATE SET drained = excluded.drained, expires = excluded.expires
            """)
    }
}
