// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import Storage

/// Finds the devices of the directory that administrators name.
struct DeviceSearch: Sendable {
    let database: any Database
    /// The devices that device management knows; nil if the server does not manage devices.
    let management: DeviceNeighbour?

    /// Returns the device in the path of a call, identified by an id or by a unique name.
    ///
    /// - Throws: ``OperationRefusal``, ``AdminRefusal``, ``NamedRefusal``, ``StorageError``
    func device(in call: AdminCall) async throws -> DeviceID {
        try await device(try call.name("device"), tenant: try await call.tenant()).id
    }

    /// Returns the device that this name means.
    ///
    /// - Throws: ``NamedRefusal`` `noDevice`, `ambiguousDevice` or `notJoined`, ``StorageError``
    func device(_ name: ObjectName, tenant: Tenant) async throws -> NamedDevice {
        let found = try await database.read { try NamedObjects($0).devices(name, tenant: tenant.id) }
        if let device = try only(found, name) { return device }
        let managed = try await management?.devices(name, tenant.id.rawValue) ?? []
        guard let first = managed.first else {
            throw AdminRefusal.noDevice.naming("No device is known as \(name.text) in \(tenant.domain).")
        }
        guard managed.count == 1 else {
            let labels = managed.map(\.label).joined(separator: ", ")
            throw AdminRefusal.notJoined.naming(
                "Several devices under management are known as \(name.text) (\(labels)), but none in the directory.")
        }
        // The directory learns a device's new names in device management only some time later.
        if let udid = first.udid {
            let joined = try await database.read { try NamedObjects($0).devices(udid: udid, tenant: tenant.id) }
            if let device = try only(joined, name) { return device }
        }
        throw AdminRefusal.notJoined.naming("\(first.label) is under management, but not in the directory.")
    }

    private func only(_ found: NamedRecords<NamedDevice>, _ name: ObjectName) throws -> NamedDevice? {
        try found.only { several in
            let candidates = several.candidates { .init(id: $0.id.rawValue, name: $0.displayName) }
            return AdminRefusal.ambiguousDevice.naming(
                "Several devices are known as \(name.text): \(candidates.words).", candidates: candidates)
        }
    }
}

extension Platform {
    /// Returns the devices of the directory that this name can mean, for device management (``DeviceNeighbour``).
    ///
    /// - Parameter tenant: the tenant's id.
    /// - Throws: ``StorageError``
    package func devices(named name: ObjectName, tenant: String) async throws -> [DeviceNeighbour.Device] {
        guard let tenant = TenantID(rawValue: tenant) else { return [] }
        let found = try await database.read { try NamedObjects($0).devices(name, tenant: tenant) }
        return found.records.map {
            DeviceNeighbour.Device(label: "\($0.displayName) (device id \($0.id))", udid: $0.udid)
        }
    }
}
