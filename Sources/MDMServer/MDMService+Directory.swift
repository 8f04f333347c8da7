// SPDX-License-Identifier: Apache-2.0
package import Storage

/// What the directory calls a device under management.
package struct DirectoryNames: Sendable, Equatable {
    /// The device id in the directory.
    package let id: String
    package let objectID: String
    package let displayName: String

    package init(id: String, objectID: String, displayName: String) {
        (self.id, self.objectID, self.displayName) = (id, objectID, displayName)
    }
}

/// The names of an enrolled device.
package struct EnrolledDeviceNames: Record {
    package let udid: UDID
    package let name: String
    package let serialNumber: String?
    /// What the directory calls the device; nil if that is not known.
    package let directory: DirectoryNames?

    package static let table = DeviceRecord.table
    package static let unread: Set<Column> = [.tenant, .state]

    package enum Column: String, ColumnName {
        case tenant, udid, name, state, serialNumber, directoryID, directoryObjectID, directoryName
    }

    package init(_ row: TableRow<EnrolledDeviceNames>) throws {
        (udid, name, serialNumber) = (try row[.udid], try row[.name], try row[.serialNumber])
        let (id, objectID): (String?, String?) = (try row[.directoryID], try row[.directoryObjectID])
        let displayName: String? = try row[.directoryName]
        if let id, let objectID, let displayName {
            directory = DirectoryNames(id: id, objectID: objectID, displayName: displayName)
        } else {
            directory = nil
        }
    }
}

/// What device management keeps about the directory's devices, so that administrators can name a device under
/// management as the directory does.
extension MDMService {
    /// Returns the names of these devices, but only of those that are enrolled.
    ///
    /// - Throws: ``StorageError``
    package func names(of udids: [UDID], tenant: TenantID) async throws -> [UDID: EnrolledDeviceNames] {
        try await database.read { connection in
            try udids.reduce(into: [:]) { names, udid in
                names[udid] = try connection.record(
                    EnrolledDeviceNames.self,
                    "WHERE tenant = \(tenant) AND udid = \(udid) AND state = \(DeviceRecord.State.enrolled)")
            }
        }
    }

    /// Returns the devices for which the directory's names are stored, in the order of their UDIDs, at most `limit`.
    ///
    /// - Parameter last: the last device of the previous page; nil for the first page.
    /// - Throws: ``StorageError``
    package func devicesWithDirectoryNames(
        of tenant: TenantID, after last: UDID?, limit: Int
    ) async throws -> [EnrolledDeviceNames] {
        try await database.read { connection in
            try connection.records(
                EnrolledDeviceNames.self,
                """
                WHERE tenant = \(tenant) AND udid > \(last?.rawValue ?? "") AND directoryID IS NOT NULL
                ORDER BY udid LIMIT \(limit)
                """)
        }
    }

    /// Stores what the directory calls a device, or forgets it if `names` is nil. A device that is not enrolled does not
    /// change.
    ///
    /// - Parameter former: the device id that is stored now; nil if no id is stored. If a different id is stored,
    ///   nothing changes.
    /// - Throws: ``StorageError``
    package func setDirectoryNames(
        _ names: DirectoryNames?, of device: EnrolledDeviceID, replacing former: String?
    ) async throws {
        try await database.write { connection in
            try connection.execute(
                """
                UPDATE device SET directoryID = \(names?.id), directoryObjectID = \(names?.objectID),
                    directoryName = \(names?.displayName)
                WHERE tenant = \(device.tenant) AND udid = \(device.udid) AND state = \(DeviceRecord.State.enrolled)
                    AND COALESCE(directoryID, '') = \(former ?? "")
                """)
        }
    }
}
