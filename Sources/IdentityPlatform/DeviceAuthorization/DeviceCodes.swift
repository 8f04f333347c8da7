// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// What a device code stands for until it is redeemed.
struct DeviceCode: Sendable {
    let tenant: TenantID
    let client: ClientID
    let scope: String
    let expires: Timestamp
    /// When the client asked last.
    let polled: Timestamp?
    let state: State

    enum State: Sendable, Equatable {
        case pending
        case declined
        /// The session that began with the person's yes.
        case approved(SessionID)
        case redeemed
    }
}

/// The device codes of one transaction, kept as hashes; that of the short one is keyed.
struct DeviceCodes {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    private enum Decision: String { case approved, declined }

    /// - Throws: ``StorageError`` `conflict` where the user code is taken.
    func add(_ code: OpaqueToken, userCode: [UInt8], _ record: DeviceCode) throws {
        try connection.execute(
            """
            INSERT INTO deviceCode (tenant, hash, userCodeHash, client, scope, expires)
            VALUES (\(record.tenant), \(code.hash), \(userCode), \(record.client), \(record.scope), \(record.expires))
            """)
    }

    func find(_ code: OpaqueToken) throws -> DeviceCode? {
        try connection.row(
            """
            SELECT tenant, client, scope, expires, polled, decision, session, redeemed FROM deviceCode
            WHERE tenant = \(code.tenant) AND hash = \(code.hash)
            """
        ).map(Self.record)
    }

    func find(userCode: [UInt8], tenant: TenantID) throws -> DeviceCode? {
        try connection.row(
            """
            SELECT tenant, client, scope, expires, polled, decision, session, redeemed FROM deviceCode
            WHERE tenant = \(tenant) AND userCodeHash = \(userCode)
            """
        ).map(Self.record)
    }

    private static func record(_ row: Row) throws -> DeviceCode {
        DeviceCode(
            tenant: try row.value(0), client: try row.value(1), scope: try row.text(2), expires: try row.value(3),
            polled: try row.optionalValue(4), state: try state(row))
    }

    private static func state(_ row: Row) throws -> DeviceCode.State {
        guard try row.isNull(7) else { return .redeemed }
        switch try row.optionalValue(5, as: Decision.self) {
        case nil: return .pending
        case .declined: return .declined
        case .approved: return .approved(try row.value(6))
        }
    }

    func setPolled(_ code: OpaqueToken, at time: Timestamp) throws {
        try connection.execute(
            "UPDATE deviceCode SET polled = \(time) WHERE tenant = \(code.tenant) AND hash = \(code.hash)")
    }

    /// Writes a person's answer down.
    ///
    /// - Parameter session: the session that begins with a yes; nil is a no.
    /// - Returns: whether nobody had answered until now.
    func decide(_ session: SessionID?, userCode: [UInt8], tenant: TenantID) throws -> Bool {
        let decision = session == nil ? Decision.declined : .approved
        return try connection.execute(
            """
            UPDATE deviceCode SET decision = \(decision), session = \(session)
            WHERE tenant = \(tenant) AND userCodeHash = \(userCode) AND decision IS NULL
            """) == 1
    }

    /// Marks a code as used.
    ///
    /// - Returns: whether it was unused until now.
    func redeem(_ code: OpaqueToken, at time: Timestamp) throws -> Bool {
        try connection.execute(
            """
            UPDATE deviceCode SET redeemed = \(time)
            WHERE tenant = \(code.tenant) AND hash = \(code.hash) AND redeemed IS NULL
            """) == 1
    }
}

extension Platform {
    /// What is kept of a user code, which is too short for a hash without a key.
    func hash(of code: UserCode) -> [UInt8] { storageKey.derived("user code", Array(code.letters.utf8)) }
}
