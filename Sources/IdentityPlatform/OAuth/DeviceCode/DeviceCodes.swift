// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// A device code as stored in the database.
struct DeviceCode: Sendable {
    let tenant: TenantID
    let client: ClientID
    let scope: String
    let expires: Timestamp
    /// How many seconds before the approval the person may have signed in; nil for no limit. The parameter `max_age` of
    /// the request.
    let maxAge: Int64?
    /// When the client last polled.
    let polled: Timestamp?
    let state: State

    enum State: Sendable, Equatable {
        case pending
        case declined
        /// The session that began when the person approved.
        case approved(SessionID)
        case redeemed
    }

    /// Whether the sign-in of the person who approves is recent enough. A sign-in after the request for the code is
    /// always recent enough, so that nobody has to sign in twice for one code.
    ///
    /// - Parameter lifetime: how long device codes are valid.
    func accepts(signInAt begun: Timestamp, lifetime: Duration, at now: Timestamp) -> Bool {
        guard let maxAge else { return true }
        return begun + .seconds(maxAge) >= now || begun >= expires - lifetime
    }
}

extension DeviceCode: Record {
    static let table = "deviceCode"

    enum Column: String, ColumnName {
        case tenant, hash, userCodeHash, client, scope, expires, polled, decision, session, redeemed, maxAge
    }

    init(_ row: TableRow<DeviceCode>) throws {
        self.init(
            tenant: try row[.tenant], client: try row[.client], scope: try row[.scope], expires: try row[.expires],
            maxAge: try row[.maxAge], polled: try row[.polled], state: try Self.state(row))
    }

    private static func state(_ row: TableRow<DeviceCode>) throws -> State {
        let redeemed: Timestamp? = try row[.redeemed]
        guard redeemed == nil else { return .redeemed }
        let decision: DeviceCodes.Decision? = try row[.decision]
        return switch decision {
        case nil: .pending
        case .declined: .declined
        case .approved: .approved(try row[.session])
        }
    }
}

/// Access to the device codes in one transaction. The codes are stored as hashes; the hash of the user code is keyed.
struct DeviceCodes {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    fileprivate enum Decision: String, ColumnValue { case approved, declined }

    /// - Throws: ``StorageError`` `conflict` if the user code is already taken.
    func add(_ code: OpaqueToken, userCode: [UInt8], _ record: DeviceCode) throws {
        try connection.insert(
            into: DeviceCode.self,
            [
                .tenant: record.tenant, .hash: code.hash, .userCodeHash: userCode, .client: record.client,
                .scope: record.scope, .expires: record.expires, .maxAge: record.maxAge,
            ])
    }

    func find(_ code: OpaqueToken) throws -> DeviceCode? {
        try connection.record(DeviceCode.self, "WHERE tenant = \(code.tenant) AND hash = \(code.hash)")
    }

    func find(userCode: [UInt8], tenant: TenantID) throws -> DeviceCode? {
        try connection.record(DeviceCode.self, "WHERE tenant = \(tenant) AND userCodeHash = \(userCode)")
    }

    func setPolled(_ code: OpaqueToken, at time: Timestamp) throws {
        try connection.execute(
            "UPDATE deviceCode SET polled = \(time) WHERE tenant = \(code.tenant) AND hash = \(code.hash)")
    }

    /// Stores a person's answer.
    ///
    /// - Parameter session: the session that begins with the approval; nil if the person declined.
    /// - Returns: true if this is the first answer.
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
    /// - Returns: true if the code was unused.
    func redeem(_ code: OpaqueToken, at time: Timestamp) throws -> Bool {
        try connection.execute(
            """
            UPDATE deviceCode SET redeemed = \(time)
            WHERE tenant = \(code.tenant) AND hash = \(code.hash) AND redeemed IS NULL
            """) == 1
    }
}

extension StorageKey {
    /// Returns the stored hash of a user code. The hash is keyed, because a code is so short that all codes could be
    /// tried against a hash without a key.
    func hash(of code: UserCode) -> [UInt8] { derived("user code", Array(code.letters.utf8)) }
}
