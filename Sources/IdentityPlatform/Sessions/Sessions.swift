// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
package import Storage

extension Session: Record {
    package static let table = "session"

    package enum Column: String, ColumnName {
        case tenant, id, person, device, sharedDevice, epochCounter, methods, begun, ended, browser, fromDeviceCode
    }

    package init(_ row: TableRow<Session>) throws {
        let (device, browser): (DeviceID?, [UInt8]?) = (try row[.device], try row[.browser])
        let methods: String = try row[.methods]
        self.init(
            tenant: try row[.tenant], id: try row[.id], user: try row[.person],
            device: try device.map { DeviceBinding(id: $0, isShared: try row[.sharedDevice]) },
            epochCounter: try row[.epochCounter], methods: methods.split(separator: " ").map(String.init),
            begun: try row[.begun], ended: try row[.ended], browser: browser.map(BrowserID.init(hash:)),
            isFromDeviceCode: try row[.fromDeviceCode])
    }
}

/// Access to the sign-in sessions in one transaction.
package struct Sessions {
    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// Begins a session that is not bound to a device yet.
    ///
    /// - Throws: ``StorageError``
    package func begin(_ id: SessionID, user: User, methods: [String], at time: Timestamp) throws -> Session {
        try begin(id, user: user, methods: methods, in: nil, at: time)
    }

    /// Begins a session in a browser, or with a device code for another screen.
    ///
    /// - Throws: ``StorageError``
    func begin(
        _ id: SessionID, user: User, methods: [String], in browser: BrowserID?, fromDeviceCode: Bool = false,
        at time: Timestamp
    ) throws -> Session {
        try connection.insert(
            into: Session.self,
            [
                .tenant: user.tenant, .id: id, .person: user.id, .methods: methods.joined(separator: " "),
                .begun: time, .browser: browser?.hash, .fromDeviceCode: fromDeviceCode,
            ])
        return Session(
            tenant: user.tenant, id: id, user: user.id, device: nil, epochCounter: nil, methods: methods, begun: time,
            ended: nil, browser: browser, isFromDeviceCode: fromDeviceCode)
    }

    /// Returns the session, whether or not it has ended.
    ///
    /// - Throws: ``StorageError``
    package func find(_ id: SessionID, tenant: TenantID) throws -> Session? {
        try connection.record(Session.self, "WHERE tenant = \(tenant) AND id = \(id)")
    }

    /// Returns the session if it has not ended.
    ///
    /// - Throws: ``StorageError``
    package func live(_ id: SessionID, tenant: TenantID) throws -> Session? {
        try find(id, tenant: tenant).flatMap { $0.ended == nil ? $0 : nil }
    }

    /// Binds an active session to the device that proved possession of its key, in the device's current epoch. On a
    /// shared device the session stays bound to that epoch.
    ///
    /// - Returns: false if the session has ended or does not exist, is bound to another device or to another epoch of a
    ///   shared device, or was started with a device code.
    /// - Throws: ``StorageError``
    package func bind(
        _ id: SessionID, tenant: TenantID, to device: DeviceBinding, epochCounter: Int64? = nil
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE session
            SET device = \(device.id), sharedDevice = \(device.isShared), epochCounter = \(epochCounter)
            WHERE tenant = \(tenant) AND id = \(id) AND ended IS NULL AND fromDeviceCode = 0
                AND (device IS NULL
                    OR (device = \(device.id) AND (sharedDevice = 0 OR epochCounter = \(epochCounter))))
            """) == 1
    }

    /// Ends a session. If it is bound to an epoch of a shared device, ends every session of that epoch.
    ///
    /// - Returns: true if the session had not ended before.
    /// - Throws: ``StorageError``
    @discardableResult
    package func end(
        _ id: SessionID, tenant: TenantID, at time: Timestamp, because reason: SessionEnd, by actor: String
    ) throws -> Bool {
        guard try endAlone(id, tenant: tenant, at: time, because: reason, by: actor) else { return false }
        let others = try connection.rows(
            """
            SELECT other.id AS id FROM session JOIN session AS other
                ON other.tenant = session.tenant AND other.device = session.device
                AND other.epochCounter = session.epochCounter
            WHERE session.tenant = \(tenant) AND session.id = \(id) AND session.sharedDevice = 1
                AND other.ended IS NULL
            """)
        for row in others {
            try endAlone(try row["id"], tenant: tenant, at: time, because: reason, by: actor)
        }
        return true
    }

    /// Ends one session and removes everything that depends on it: codes, refresh tokens, primary refresh tokens with
    /// their session keys, and browser sessions. Writes the audit entry. Announces a ``DeviceStateChange`` of the
    /// session's device if the device did not report the end itself. If the person or an administrator revoked the
    /// session, or a token was replayed, withdraws the person's offline leases on the device. A repeated call is not an
    /// error and does not write an entry.
    ///
    /// - Returns: true if the session had not ended before.
    /// - Throws: ``StorageError``
    @discardableResult
    func endAlone(
        _ id: SessionID, tenant: TenantID, at time: Timestamp, because reason: SessionEnd, by actor: String
    ) throws -> Bool {
        let ended = try connection.row(
            """
            UPDATE session SET ended = \(time) WHERE tenant = \(tenant) AND id = \(id) AND ended IS NULL
            RETURNING device, person
            """)
        try connection.execute("DELETE FROM authorizationCode WHERE tenant = \(tenant) AND session = \(id)")
        try connection.execute("DELETE FROM refreshToken WHERE tenant = \(tenant) AND session = \(id)")
        try connection.execute("DELETE FROM primaryRefreshToken WHERE tenant = \(tenant) AND session = \(id)")
        try connection.execute("DELETE FROM browserSession WHERE tenant = \(tenant) AND session = \(id)")
        guard let ended else { return false }
        try AuditLog(connection).append(
            AuditLine(
                .sessionEnded, tenant: tenant, actor: actor, subject: id.rawValue, outcome: reason.rawValue, at: time))
        // A device that reported the end itself does not need a notice.
        if reason != .ended, let device: DeviceID = try ended["device"] {
            if reason == .revoked || reason == .replayed {
                try OfflineLeases(connection).withdraw(of: try ended["person"], device: device, tenant: tenant)
            }
            try connection.announce(DeviceStateChange(tenant: tenant, device: device))
        }
        return true
    }

    /// Ends every session of a person and withdraws their offline leases.
    ///
    /// - Returns: whether there was a session or a lease.
    /// - Throws: ``StorageError``
    @discardableResult
    package func endAll(
        of user: UserID, tenant: TenantID, at time: Timestamp, because reason: SessionEnd, by actor: String
    ) throws -> Bool {
        let live: [SessionID] = try connection.values(
            .id, of: Session.self, "WHERE tenant = \(tenant) AND person = \(user) AND ended IS NULL")
        let hadLease = try OfflineLeases(connection).withdraw(of: user, tenant: tenant)
        for session in live { try end(session, tenant: tenant, at: time, because: reason, by: actor) }
        return hadLease || !live.isEmpty
    }
}

/// Read access to the sessions that have not ended, in one transaction, for administration.
struct LiveSessions {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    /// Returns a page of the sessions, the newest first, and one session more if there is another page. If `user` is
    /// given, returns only that person's sessions.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    func newest(on page: PageRequest, of user: UserID? = nil, tenant: TenantID) throws -> [Session] {
        let person: SQL = user.map { "AND person = \($0)" } ?? ""
        var later: SQL = ""
        if let after = page.after {
            guard let key = NamedItemKey(after), let begun = Int64(key.name) else { throw PageRequest.unknownPlace }
            later = "AND (begun < \(begun) OR (begun = \(begun) AND id > \(key.id)))"
        }
        return try connection.records(
            Session.self,
            """
            WHERE tenant = \(tenant) AND ended IS NULL \(person) \(later)
            ORDER BY begun DESC, id LIMIT \(page.limit + 1)
            """)
    }
}
