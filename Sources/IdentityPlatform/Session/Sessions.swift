// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The sign-in sessions of one transaction.
package struct Sessions {
    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// Begins a session; nothing is bound to a device yet.
    ///
    /// - Throws: ``StorageError``
    package func begin(_ id: SessionID, user: User, methods: [String], at time: Timestamp) throws -> Session {
        try connection.execute(
            """
            INSERT INTO session (tenant, id, user, methods, begun)
            VALUES (\(user.tenant), \(id), \(user.id), \(methods.joined(separator: " ")), \(time))
            """)
        return Session(
            tenant: user.tenant, id: id, user: user.id, device: nil, methods: methods, begun: time, ended: nil)
    }

    /// The session, ended or not.
    ///
    /// - Throws: ``StorageError``
    package func find(_ id: SessionID, tenant: TenantID) throws -> Session? {
        try connection.row(
            """
            SELECT user, device, sharedDevice, methods, begun, ended FROM session
            WHERE tenant = \(tenant) AND id = \(id)
            """
        ).map { row in
            let device = try row.optionalValue(1, as: DeviceID.self)
            return Session(
                tenant: tenant, id: id, user: try row.value(0),
                device: try device.map { DeviceBinding(id: $0, isShared: try row.flag(2)) },
                methods: try row.text(3).split(separator: " ").map(String.init),
                begun: try row.value(4), ended: try row.optionalValue(5))
        }
    }

    /// The session, if it is still good.
    ///
    /// - Throws: ``StorageError``
    package func live(_ id: SessionID, tenant: TenantID) throws -> Session? {
        try find(id, tenant: tenant).flatMap { $0.ended == nil ? $0 : nil }
    }

    /// Binds a live session to the device that proved its key.
    ///
    /// - Returns: whether there was such a session, not bound to another device.
    /// - Throws: ``StorageError``
    package func bind(_ id: SessionID, tenant: TenantID, to device: DeviceBinding) throws -> Bool {
        try connection.execute(
            """
            UPDATE session SET device = \(device.id), sharedDevice = \(device.isShared)
            WHERE tenant = \(tenant) AND id = \(id) AND ended IS NULL AND (device IS NULL OR device = \(device.id))
            """) == 1
    }

    /// Ends a session and with it its codes, refresh tokens and browser sessions; again is no error.
    ///
    /// Every credential is good only while its session lives, so that what hangs on the session elsewhere needs no
    /// part in this.
    ///
    /// - Returns: whether the session lived until now.
    /// - Throws: ``StorageError``
    @discardableResult
    package func end(_ id: SessionID, tenant: TenantID, at time: Timestamp) throws -> Bool {
        let changed = try connection.execute(
            "UPDATE session SET ended = \(time) WHERE tenant = \(tenant) AND id = \(id) AND ended IS NULL")
        try connection.execute("DELETE FROM authorizationCode WHERE tenant = \(tenant) AND session = \(id)")
        try connection.execute("DELETE FROM refreshToken WHERE tenant = \(tenant) AND session = \(id)")
        try connection.execute("DELETE FROM browserSession WHERE tenant = \(tenant) AND session = \(id)")
        return changed == 1
    }

    /// Ends every session of a person: after a new password, or when the account is removed.
    ///
    /// - Throws: ``StorageError``
    package func endAll(of user: UserID, tenant: TenantID, at time: Timestamp) throws {
        let live = try connection.rows(
            "SELECT id FROM session WHERE tenant = \(tenant) AND user = \(user) AND ended IS NULL")
        for row in live { try end(try row.value(0), tenant: tenant, at: time) }
    }
}
