// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Access to the countersigned chain heads, in one transaction.
struct Anchors {
    private let connection: any Connection
    /// The number of heads of a chain that are kept. Heads other than the newest are needed only if a response was
    /// lost.
    private static let kept: Int64 = 32

    init(_ connection: any Connection) { self.connection = connection }

    /// A countersigned head.
    struct Head: Sendable {
        let sequence: Int64
        let hash: String
        /// The countersigned line.
        let line: [UInt8]
    }

    /// Returns the head with a sequence number.
    ///
    /// - Throws: ``StorageError``
    func find(_ sequence: Int64, chain: String, tenant: TenantID) throws -> Head? {
        try connection.record(
            Head.self, "WHERE tenant = \(tenant) AND chain = \(chain) AND sequence = \(sequence)")
    }

    /// Returns the newest head of a chain.
    ///
    /// - Throws: ``StorageError``
    func newest(chain: String, tenant: TenantID) throws -> Head? {
        try connection.record(
            Head.self, "WHERE tenant = \(tenant) AND chain = \(chain) ORDER BY sequence DESC LIMIT 1")
    }

    /// Returns the newest head of each chain, the most recently countersigned first; at most 10,000 heads.
    ///
    /// - Throws: ``StorageError``
    func newest(tenant: TenantID) throws -> [Head] {
        try connection.records(
            Head.self,
            """
            WHERE tenant = \(tenant) AND sequence = (
                SELECT MAX(other.sequence) FROM receiptAnchor AS other
                WHERE other.tenant = receiptAnchor.tenant AND other.chain = receiptAnchor.chain)
            ORDER BY time DESC LIMIT 10000
            """)
    }

    /// Stores a head and removes the chain's oldest heads.
    ///
    /// - Throws: ``StorageError``
    func add(_ head: Head, chain: String, device: DeviceID, tenant: TenantID, at time: Timestamp) throws {
        try connection.insert(
            into: Head.self,
            [
                .tenant: tenant, .chain: chain, .sequence: head.sequence, .device: device, .hash: head.hash,
                .line: head.line, .time: time,
            ])
        try connection.execute(
            """
            DELETE FROM receiptAnchor WHERE tenant = \(tenant) AND chain = \(chain)
                AND sequence <= \(head.sequence - Self.kept)
            """)
    }
}

extension Anchors.Head: Record {
    static let table = "receiptAnchor"
    enum Column: String, ColumnName { case tenant, chain, sequence, device, hash, line, time }

    init(_ row: TableRow<Anchors.Head>) throws {
        self.init(sequence: try row[.sequence], hash: try row[.hash], line: try row[.line])
    }
}
