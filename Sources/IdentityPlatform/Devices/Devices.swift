// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import OAuth
package import Storage

extension Device: Record {
    package static let table = "device"
    package static let unread: Set<Column> = [.managedAs, .managedName, .serialNumber, .aheadSince]

    package enum Column: String, ColumnName {
        case tenant, id, objectID, displayName, operatingSystem, operatingSystemVersion, trustType, profileType,
            accountEnabled, isManaged, managedAs, managedName, serialNumber, certificateHash, certificateExpires,
            deviceKey, transportKey, registered, registeredOwner, epochID, epochCounter, epochClosed, aheadSince
    }

    package init(_ row: TableRow<Device>) throws {
        self.init(
            tenant: try row[.tenant], id: try row[.id], objectID: try row[.objectID],
            displayName: try row[.displayName], operatingSystem: try row[.operatingSystem],
            operatingSystemVersion: try row[.operatingSystemVersion], trustType: try row[.trustType],
            profileType: try row[.profileType], isEnabled: try row[.accountEnabled],
            isManaged: try row[.isManaged],
            credentials: Credentials(
                certificateHash: try row[.certificateHash], certificateExpires: try row[.certificateExpires],
                deviceKey: try row[.deviceKey], transportKey: try row[.transportKey]),
            registered: try row[.registered], registeredOwner: try row[.registeredOwner], epoch: try Self.epoch(row),
            isEpochClosed: try row[.epochClosed])
    }

    private static func epoch(_ row: TableRow<Device>) throws -> DeviceEpoch? {
        let (id, counter): (String?, Int?) = (try row[.epochID], try row[.epochCounter])
        guard let id, let counter else { return nil }
        guard let epoch = DeviceEpoch(id: id, counter: counter) else {
            throw StorageError(.unexpectedValue, "a device's epoch is malformed")
        }
        return epoch
    }
}

/// Access to devices in one transaction.
package struct Devices {
    let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    /// Returns the device that has this device id.
    ///
    /// - Throws: ``StorageError``
    package func find(_ id: DeviceID, tenant: TenantID) throws -> Device? {
        try connection.record(Device.self, "WHERE tenant = \(tenant) AND id = \(id)")
    }

    /// Returns the device that was issued exactly this certificate.
    ///
    /// - Parameter hash: SHA-256 of the certificate's DER.
    /// - Throws: ``StorageError``
    func find(certificateHash hash: [UInt8], tenant: TenantID) throws -> Device? {
        try connection.record(Device.self, "WHERE tenant = \(tenant) AND certificateHash = \(hash)")
    }

    /// Returns the devices of an organisation, sorted by name.
    ///
    /// - Throws: ``StorageError``
    package func all(tenant: TenantID) throws -> [Device] {
        try connection.records(Device.self, "WHERE tenant = \(tenant) ORDER BY displayName, id")
    }

    /// Returns a page of the devices, in the order of their names, and one device more if there is another page.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    func all(tenant: TenantID, on page: PageRequest) throws -> [Device] {
        let selection = try page.selection(orderedBy: Device.Column.displayName, .id)
        return try connection.records(Device.self, "WHERE tenant = \(tenant) \(selection)")
    }

    /// Returns the enabled shared devices that have the same organisation, join type and key as `device` and have never
    /// entered an epoch. Returns no devices if `device` is not shared.
    ///
    /// - Throws: ``StorageError``
    func unused(with key: [UInt8], like device: Device) throws -> [DeviceID] {
        guard device.profileType == .shared, !key.isEmpty else { return [] }
        return try connection.values(
            .id, of: Device.self,
            """
            WHERE tenant = \(device.tenant) AND deviceKey = \(key) AND trustType = \(device.trustType)
                AND profileType = \(device.profileType) AND accountEnabled = \(true) AND epochCounter IS NULL
            ORDER BY id
            """)
    }

    /// Adds a joined device.
    ///
    /// - Throws: ``StorageError``
    func add(_ device: Device) throws {
        let credentials = device.credentials
        try connection.insert(
            into: Device.self,
            [
                .tenant: device.tenant, .id: device.id, .objectID: device.objectID, .displayName: device.displayName,
                .operatingSystem: device.operatingSystem, .operatingSystemVersion: device.operatingSystemVersion,
                .trustType: device.trustType, .profileType: device.profileType, .accountEnabled: device.isEnabled,
                .isManaged: device.isManaged, .certificateHash: credentials.certificateHash,
                .certificateExpires: credentials.certificateExpires, .deviceKey: credentials.deviceKey,
                .transportKey: credentials.transportKey, .registered: device.registered,
                .registeredOwner: device.registeredOwner,
            ])
    }

    /// Enables a device, or disables it and ends its sessions. Enabling the device again does not restore the sessions.
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

    /// Removes a device together with its primary refresh tokens and sessions.
    ///
    /// - Returns: whether there was such a device.
    /// - Throws: ``StorageError``
    package func remove(_ id: DeviceID, tenant: TenantID, at time: Timestamp, by actor: String) throws -> Bool {
        try endSessions(of: id, tenant: tenant, at: time, because: .deviceRemoved, by: actor)
        try connection.announce(DeviceStateChange(tenant: tenant, device: id))
        return try connection.execute("DELETE FROM device WHERE tenant = \(tenant) AND id = \(id)") == 1
    }

    /// Ends every session bound to the device, except `survivor`.
    ///
    /// - Throws: ``StorageError``
    func endSessions(
        of id: DeviceID, tenant: TenantID, except survivor: SessionID? = nil, at time: Timestamp,
        because reason: SessionEnd, by actor: String
    ) throws {
        let live: [SessionID] = try connection.values(
            .id, of: Session.self, "WHERE tenant = \(tenant) AND device = \(id) AND ended IS NULL")
        for session in live where session != survivor {
            try Sessions(connection).endAlone(session, tenant: tenant, at: time, because: reason, by: actor)
        }
    }

    /// Returns whether anyone other than `person` has had a session on the device in an epoch.
    ///
    /// - Throws: ``StorageError``
    func hasSession(of device: Device, in epoch: DeviceEpoch, but person: UserID) throws -> Bool {
        try connection.exists(
            Session.self,
            """
            WHERE tenant = \(device.tenant) AND device = \(device.id) AND epochCounter = \(epoch.counter)
                AND person <> \(person)
            """)
    }

    /// Ends every session that the device has in the epoch whose end it reported, or in an earlier epoch.
    ///
    /// - Throws: ``StorageError``
    func endSessions(
        of id: DeviceID, tenant: TenantID, upTo epoch: DeviceEpoch, at time: Timestamp, by actor: String
    ) throws {
        let live: [SessionID] = try connection.values(
            .id, of: Session.self,
            """
            WHERE tenant = \(tenant) AND device = \(id) AND ended IS NULL AND epochCounter <= \(epoch.counter)
            """)
        for session in live {
            try Sessions(connection).endAlone(session, tenant: tenant, at: time, because: .ended, by: actor)
        }
    }

    /// Returns the personal devices of a person.
    ///
    /// - Throws: ``StorageError``
    func owned(by person: UserID, tenant: TenantID) throws -> [DeviceID] {
        try connection.values(.id, of: Device.self, "WHERE tenant = \(tenant) AND registeredOwner = \(person)")
    }

    /// Stores the epoch that the device has entered or, if `isClosed` is true, the epoch that has ended on it.
    ///
    /// - Throws: ``StorageError``
    func setEpoch(_ epoch: DeviceEpoch, isClosed: Bool, _ id: DeviceID, tenant: TenantID) throws {
        try connection.execute(
            """
            UPDATE device SET epochID = \(epoch.id), epochCounter = \(epoch.counter), epochClosed = \(isClosed)
            WHERE tenant = \(tenant) AND id = \(id)
            """)
    }
}
