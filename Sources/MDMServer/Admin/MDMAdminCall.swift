// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
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

    /// Returns the name of an object in the path.
    func name(_ place: String) throws -> ObjectName { try ObjectName(given: places[place]) }

    func place(_ name: String) throws -> String { try self.name(name).text }

    func decode<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
        do { return try JSONReader.read(Body.self, from: body, limits: Self.limits) } catch {
            throw MDMAdminRefusal(.malformed)
        }
    }
}

extension ObjectName {
    /// - Throws: ``MDMAdminRefusal`` `malformed`
    init(given text: String?) throws {
        guard let name = text.flatMap(ObjectName.init) else {
            let (message, remedy) = AdminFailure.malformedName
            throw MDMAdminRefusal(.malformed, message, remedy: remedy)
        }
        self = name
    }
}
