// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Storage

/// The devices of one transaction.
package struct Devices {
    let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// The device of that device id.
    ///
    /// - Throws: ``StorageError``
    package func find(_ id: DeviceID, tenant: TenantID) throws -> Device? {
        try connection.row(
            """
            SELECT tenant, id, objectID, displayName, operatingSystem, operatingSystemVersion, trustType, profileType,
                accountEnabled, isManaged, certificateHash, certificateExpires, deviceKey, transportKey, registered,
                epochID, epochCounter, registeredOwner, epochClosed
            FROM device WHERE tenant = \(tenant) AND id = \(id)
            """
        ).map(Self.device)
    }

    /// The device that was given that very certificate.
    ///
    /// - Parameter hash: SHA-256 of its DER.
    /// - Throws: ``StorageError``
    func find(certificateHash hash: [UInt8], tenant: TenantID) throws -> Device? {
        try connection.row(
            """
            SELECT tenant, id, objectID, displayName, operatingSystem, operatingSystemVersion, trustType, profileType,
                accountEnabled, isManaged, certificateHash, certificateExpires, deviceKey, transportKey, registered,
                epochID, epochCounter, registeredOwner, epochClosed
            FROM device WHERE tenant = \(tenant) AND certificateHash = \(hash)
            """
        ).map(Self.device)
    }

    /// The devices of an organisation, by name.
    ///
    /// - Throws: ``StorageError``
    package func all(tenant: TenantID) throws -> [Device] {
        try connection.rows(
            """
            SELECT tenant, id, objectID, displayName, operatingSystem, operatingSystemVersion, trustType, profileType,
                accountEnabled, isManaged, certificateHash, certificateExpires, deviceKey, transportKey, registered,
                epochID, epochCounter, registeredOwner, epochClosed
            FROM device WHERE tenant = \(tenant) ORDER BY displayName, id
            """
        ).map(Self.device)
    }

    /// The shared devices of the same organisation and kind that have the same key, are enabled, and never held a session.
    ///
    /// - Throws: ``StorageError``
    func unused(with key: [UInt8], like device: Device) throws -> [DeviceID] {
        guard device.profileType == .shared, !key.isEmpty else { return [] }
        return try connection.rows(
            """
            SELECT id FROM device
            WHERE tenant = \(device.tenant) AND deviceKey = \(key) AND trustType = \(device.trustType)
                AND profileType = \(device.profileType) AND accountEnabled = \(true) AND epochCounter IS NULL
            ORDER BY id
            """
        ).map { try $0.value(0) }
    }

    /// Keeps a device that has joined.
    ///
    /// - Throws: ``StorageError``
    func add(_ device: Device) throws {
        let credentials = device.credentials
        try connection.execute(
            """
            INSERT INTO device (tenant, id, objectID, displayName, operatingSystem, operatingSystemVersion, trustType,
                profileType, accountEnabled, isManaged, certificateHash, certificateExpires, deviceKey, transportKey,
                registered, registeredOwner)
            VALUES (\(device.tenant), \(device.id), \(device.objectID), \(device.displayName),
                \(device.operatingSystem), \(device.operatingSystemVersion), \(device.trustType),
                \(device.profileType), \(device.isEnabled), \(device.isManaged), \(credentials.certificateHash),
                \(credentials.certificateExpires), \(credentials.deviceKey), \(credentials.transportKey),
                \(device.registered), \(device.registeredOwner))
            """)
    }

    /// Enables a device, or disables it and ends its sessions, at once and for good.
    ///
    /// - Returns: whether there is such a device.
    /// - Throws: ``StorageError``
    package func setEnabled(
        _ isEnabled: Bool, _ id: DeviceID, tenant: TenantID, at time: Timestamp, by actor: String
    ) throws -> Bool {
        let changed = try connection.execute(
            "UPDATE device SET accountEnabled = \(isEnabled) WHERE tenant = \(tenant) AND id = \(id)")
        if !isEnabled {
            try endSessions(of: id, tenant: tenant, at: time, because: .deviceDisabled, by: actor)
        }
        try connection.announce(DeviceStateChange(tenant: tenant, device: id))
        return changed == 1
    }

    /// Removes a device, its primary refresh tokens and its sessions.
    ///
    /// - Returns: whether there was such a device.
    /// - Throws: ``StorageError``
    package func remove(_ id: DeviceID, tenant: TenantID, at time: Timestamp, by actor: String) throws -> Bool {
        try endSessions(of: id, tenant: tenant, at: time, because: .deviceRemoved, by: actor)
        try connection.announce(DeviceStateChange(tenant: tenant, device: id))
        return try connection.execute("DELETE FROM device WHERE tenant = \(tenant) AND id = \(id)") == 1
    }

    /// Ends every session that is bound to the device, but for `survivor`.
    ///
    /// - Throws: ``StorageError``
    func endSessions(
        of id: DeviceID, tenant: TenantID, except survivor: SessionID? = nil, at time: Timestamp,
        because reason: SessionEnd, by actor: String
    ) throws {
        let live = try connection.rows(
            "SELECT id FROM session WHERE tenant = \(tenant) AND device = \(id) AND ended IS NULL")
        for row in live {
            let session: SessionID = try row.value(0)
            guard session != survivor else { continue }
            try Sessions(connection).endAlone(session, tenant: tenant, at: time, because: reason, by: actor)
        }
    }

    /// Whether somebody else than `person` has had a session of the device in that epoch.
    ///
    /// - Throws: ``StorageError``
    func hasSession(of device: Device, in epoch: DeviceEpoch, but person: UserID) throws -> Bool {
        try connection.row(
            """
            SELECT 1 FROM session
            WHERE tenant = \(device.tenant) AND device = \(device.id) AND epochCounter = \(epoch.counter)
                AND person <> \(person) LIMIT 1
            """) != nil
    }

    /// Ends every session of the device in that epoch and in those before it, by the device's own word.
    ///
    /// - Throws: ``StorageError``
    func endSessions(
        of id: DeviceID, tenant: TenantID, upTo epoch: DeviceEpoch, at time: Timestamp, by actor: String
    ) throws {
        let live = try connection.rows(
            """
            SELECT id FROM session
            WHERE tenant = \(tenant) AND device = \(id) AND ended IS NULL AND epochCounter <= \(epoch.counter)
            """)
        for row in live {
            try Sessions(connection).endAlone(try row.value(0), tenant: tenant, at: time, because: .ended, by: actor)
        }
    }

    /// The devices that a person has registered as their own.
    ///
    /// - Throws: ``StorageError``
    func owned(by person: UserID, tenant: TenantID) throws -> [DeviceID] {
        try connection.rows(
            "SELECT id FROM device WHERE tenant = \(tenant) AND registeredOwner = \(person)"
        ).map { try $0.value(0) }
    }

    /// Notes an epoch that the device has entered, or, closed, one that has ended there.
    ///
    /// - Throws: ``StorageError``
    func setEpoch(_ epoch: DeviceEpoch, isClosed: Bool, _ id: DeviceID, tenant: TenantID) throws {
        try connection.execute(
            """
            UPDATE device SET epochID = \(epoch.id), epochCounter = \(epoch.counter), epochClosed = \(isClosed)
            WHERE tenant = \(tenant) AND id = \(id)
            """)
    }

    private static func device(_ row: Row) throws -> Device {
        Device(
            tenant: try row.value(0), id: try row.value(1), objectID: try row.value(2), displayName: try row.text(3),
            operatingSystem: try row.text(4), operatingSystemVersion: try row.text(5), trustType: try row.value(6),
            profileType: try row.value(7), isEnabled: try row.flag(8), isManaged: try row.flag(9),
            credentials: Device.Credentials(
                certificateHash: try row.bytes(10), certificateExpires: try row.value(11),
                deviceKey: try row.bytes(12), transportKey: try row.bytes(13)),
            registered: try row.value(14), registeredOwner: try row.optionalValue(17), epoch: try epoch(row),
            isEpochClosed: try row.flag(18))
    }

    private static func epoch(_ row: Row) throws -> DeviceEpoch? {
        guard let id = try row.optionalText(15), let counter = try row.optionalInteger(16) else { return nil }
        guard let epoch = DeviceEpoch(id: id, counter: Int(counter)) else {
            throw StorageError(.unexpectedValue, "a device's epoch is not one")
        }
        return epoch
    }
}
