// SPDX-License-Identifier: Apache-2.0
import IdentityPlatform
import Storage

extension TestPlatform {
    /// Adds a joined shared device to the directory. Its keys are of no use.
    ///
    /// - Throws: ``StorageError``
    func addDevice(
        _ id: String, named name: String, udid: String? = nil, managedName: String? = nil, serialNumber: String? = nil
    ) async throws {
        let objectID = "0" + id.dropFirst()
        let tenant = tenant.id
        try await platform.database.write { connection in
            try connection.execute(
                """
                INSERT INTO device (tenant, id, objectID, displayName, operatingSystem, operatingSystemVersion,
                    trustType, profileType, accountEnabled, isManaged, certificateHash, certificateExpires, deviceKey,
                    transportKey, registered, managedAs, managedName, serialNumber)
                VALUES (\(tenant), \(id), \(objectID), \(name), 'Linux', '12', 'AzureAd', 'Shared', 1, 0,
                    \(Array(id.utf8)), 1, \([UInt8(1)]), \([UInt8(1)]), 1, \(udid), \(managedName), \(serialNumber))
                """)
        }
    }
}
