// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import Storage

/// Finds the devices under management that administrators name.
struct ManagedDeviceSearch: Sendable {
    let database: any Database
    /// The devices that the directory knows; nil if the server has no directory.
    let directory: DeviceNeighbour?

    /// Returns the device that this name means. It may have left.
    ///
    /// - Throws: ``MDMAdminRefusal`` `noDevice`, `ambiguousDevice` or `notManaged`, ``StorageError``
    func device(_ name: ObjectName, tenant: TenantID) async throws -> DeviceRecord {
        let found = try await database.read { try NamedItems($0).devices(name, tenant: tenant) }
        let only = try found.only { several in
            let candidates = several.candidates { .init(id: $0.udid.rawValue, name: $0.name) }
            return MDMAdminRefusal(
                .ambiguousDevice, "Several devices are known as \(name.text): \(candidates.words).",
                candidates: candidates)
        }
        if let only { return only }
        let joined = try await directory?.devices(name, tenant.rawValue) ?? []
        guard let first = joined.first else {
            throw MDMAdminRefusal(.noDevice, "No device is known as \(name.text).")
        }
        guard joined.count == 1 else {
            let labels = joined.map(\.label).joined(separator: ", ")
            throw MDMAdminRefusal(
                .notManaged,
                "Several devices of the directory are known as \(name.text) (\(labels)), but none under management.")
        }
        // Device management learns a device's names in the directory only some time later.
        if let udid = first.udid.map(UDID.init(rawValue:)) {
            let managed = try await database.read {
                try DeviceRecords(connection: $0, tenant: tenant).find(udid)
            }
            if let managed { return managed }
        }
        throw MDMAdminRefusal(.notManaged, "\(first.label) is in the directory, but not under management.")
    }
}

extension MDMService {
    /// Returns the devices under management that this name can mean, for the directory (``DeviceNeighbour``).
    ///
    /// - Parameter tenant: the tenant's id.
    /// - Throws: ``StorageError``
    package func devices(named name: ObjectName, tenant: String) async throws -> [DeviceNeighbour.Device] {
        guard let tenant = TenantID(rawValue: tenant) else { return [] }
        let found = try await database.read { try NamedItems($0).devices(name, tenant: tenant) }
        return found.records.filter { $0.state != .left }.map {
            DeviceNeighbour.Device(label: "\($0.name) (UDID \($0.udid))", udid: $0.udid.rawValue)
        }
    }
}
