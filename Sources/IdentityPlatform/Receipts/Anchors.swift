// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The countersigned heads of one transaction.
struct Anchors {
    private let connection: any Connection
    /// Heads of a chain that are kept: more than the newest is needed only where a reply got lost.
    private static let kept: Int64 = 32

    init(_ connection: any Connection) { self.connection = connection }

    /// A head that was countersigned.
    struct Head: Sendable {
        let sequence: Int64
        let hash: String
        /// The countersignature.
        let line: [UInt8]
    }

    /// The head of that number.
    ///
    /// - Throws: ``StorageError``
    func find(_ sequence: Int64, chain: String, tenant: TenantID) throws -> Head? {
        try connection.row(
            """
            SELECT sequence, hash, line FROM receiptAnchor
            WHERE tenant = \(tenant) AND chain = \(chain) AND sequence = \(sequence)
            """
        ).map(Self.head)
    }

    /// The newest head of a chain.
    ///
    /// - Throws: ``StorageError``
    func newest(chain: String, tenant: TenantID) throws -> Head? {
        try connection.rows(
            """
            SELECT sequence, hash, line FROM receiptAnchor WHERE tenant = \(tenant) AND chain = \(chain)
            ORDER BY sequence DESC LIMIT 1
            """
        ).first.map(Self.head)
    }

    /// The newest head of each chain.
    ///
    /// - Throws: ``StorageError``
    func newest(tenant: TenantID) throws -> [Head] {
        try connection.rows(
            """
            SELECT sequence, hash, line FROM receiptAnchor WHERE tenant = \(tenant) AND sequence = (
                SELECT MAX(other.sequence) FROM receiptAnchor AS other
                WHERE other.tenant = receiptAnchor.tenant AND other.chain = receiptAnchor.chain)
            ORDER BY time DESC LIMIT 10000
            """
        ).map(Self.head)
    }

    /// Keeps a head.
    ///
    /// - Throws: ``StorageError``
    func add(_ head: Head, chain: String, device: DeviceID, tenant: TenantID, at time: Timestamp) throws {
        try connection.execute(
            """
            INSERT INTO receiptAnchor (tenant, chain, sequence, device, hash, line, time)
            VALUES (\(tenant), \(chain), \(head.sequence), \(device), \(head.hash), \(head.line), \(time))
            """)
        try connection.execute(
            """
            DELETE FROM receiptAnchor WHERE tenant = \(tenant) AND chain = \(chain)
                AND sequence <= \(head.sequence - Self.kept)
            """)
    }

    private static func head(_ row: Row) throws -> Head {
        Head(sequence: try row.integer(0), hash: try row.text(1), line: try row.bytes(2))
    }
}
