// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

/// A call on the administration socket, for an existing tenant.
struct MDMAdminCall: Sendable {
    let tenant: TenantID
    let places: [String: String]
    let body: [UInt8]
    /// How many lines the caller requested.
    let count: Int?
    /// The period that the caller requested.
    let period: AuditPeriod?
    /// Whether an upload may replace an existing item.
    let replaces: Bool

    /// The limits of a body. The largest body is a profile in Base64.
    static let limits = JSONLimits(bytes: 2 << 20)

    func place(_ name: String) throws -> String {
        guard let place = places[name] else { throw MDMAdminRefusal(.malformed) }
        return place
    }

    func decode<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
        do { return try JSONReader.read(Body.self, from: body, limits: Self.limits) } catch {
            throw MDMAdminRefusal(.malformed)
        }
    }

    /// Returns the device in the path, identified by its UDID or by a name that is unique among the devices that have
    /// not left.
    func device(in connection: any Connection) throws -> DeviceRecord {
        let name = try place("device")
        let devices = DeviceRecords(connection: connection, tenant: tenant)
        if let device = try devices.find(UDID(rawValue: name)) { return device }
        let named = try devices.all().filter { $0.name == name && $0.state != .left }
        guard named.count <= 1 else {
            let udids = named.map(\.udid.rawValue).sorted().joined(separator: ", ")
            throw MDMAdminRefusal(.ambiguousDevice, "Several devices are called \(name): \(udids).")
        }
        guard let device = named.first else {
            throw MDMAdminRefusal(.noDevice, "No device is known as \(name).")
        }
        return device
    }
}
