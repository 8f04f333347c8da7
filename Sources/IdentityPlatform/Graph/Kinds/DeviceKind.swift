// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

extension GraphKind where Item == Device {
    /// `devices`: the devices. They are found by object id or, as in `devices(deviceId='…')`, by the device id in
    /// certificates and tokens.
    static let devices = GraphKind(
        collection: "devices", type: { _ in "#microsoft.graph.device" }, properties: described + unknown,
        key: \.objectID.rawValue, find: { key, tenant, connection in try find(key, tenant: tenant, connection) },
        all: { tenant in listed(where: "tenant = \(tenant)", tenant) })

    /// Returns the list of devices that meet a condition, in the order of their object ids.
    static func listed(where scope: SQL, _ tenant: TenantID) -> GraphList<Device> {
        .rows(of: Device.self, key: .objectID, where: scope) { id, connection in
            try find(.id(id), tenant: tenant, connection)
        }
    }

    private static func find(_ key: GraphKey, tenant: TenantID, _ connection: any Connection) throws -> Device? {
        switch key {
        case .alternate("deviceid", let text):
            return try DeviceID(rawValue: text).flatMap { try Devices(connection).find($0, tenant: tenant) }
        case .alternate: return nil
        case .id(let text):
            return try connection.record(
                Device.self, "WHERE tenant = \(tenant) AND objectID = \(text.lowercased())")
        }
    }

    private static var described: [GraphProperty<Device>] {
        [
            .standard("id", filter: GraphFilter.lowercased("objectID")) { .string($0.objectID.rawValue) },
            .standard("accountEnabled", filter: GraphFilter.truth("accountEnabled")) { .bool($0.isEnabled) },
            .standard("deviceId", filter: GraphFilter.lowercased("id")) { .string($0.id.rawValue) },
            .standard("deviceOwnership") { .string($0.registeredOwner == nil ? "company" : "personal") },
            .standard("deviceVersion") { _ in .integer(2) },
            .standard("displayName", filter: GraphFilter.text("displayName")) { .string($0.displayName) },
            .standard("isManaged", filter: GraphFilter.truth("isManaged")) { .bool($0.isManaged) },
            .standard("operatingSystem", filter: GraphFilter.text("operatingSystem")) { .string($0.operatingSystem) },
            .standard("operatingSystemVersion") { .string($0.operatingSystemVersion) },
            .standard("profileType", filter: GraphFilter.text("profileType")) { .string($0.profileType.rawValue) },
            .standard("registrationDateTime") { .string($0.registered.iso8601) },
            .standard("trustType", filter: GraphFilter.text("trustType")) { .string($0.trustType.rawValue) },
        ]
    }

    /// Properties that Graph defines but for which the platform has no data.
    private static var unknown: [GraphProperty<Device>] {
        let nulls = [
            "approximateLastSignInDateTime", "complianceExpirationDateTime", "deviceMetadata", "enrollmentType",
            "isCompliant", "managementType", "manufacturer", "mdmAppId", "model",
        ]
        let lists = ["alternativeSecurityIds", "physicalIds", "systemLabels"]
        return nulls.map { .standard($0) { _ in .null } } + lists.map { .standard($0) { _ in .array([]) } }
    }
}
