// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import JSON
internal import Logging
internal import NIOCore
internal import Storage

extension Management {
    /// Adds every path of ``MDMAdmin/Path``. Whoever reaches the administration socket is trusted in full; the executable
    /// sees to who that is.
    package func addAdminRoutes<Context: RequestContext>(to router: Router<Context>) {
        addEnrollmentRoutes(to: router)
        addDeviceRoutes(to: router)
        addProfileRoutes(to: router)
        addAppRoutes(to: router)
        addAuditRoutes(to: router)
    }

    /// Adds one route whose refusals become `{"error":…}`.
    func on<Context: RequestContext>(
        _ router: Router<Context>, _ method: HTTPRequest.Method, _ path: MDMAdmin.Path,
        _ route: @escaping @Sendable (AdminCall) async throws -> Response
    ) {
        router.on(RouterPath(path.rawValue), method: method) { request, context in
            do {
                let id = context.logger[metadataKey: "hb.request.id"]?.description
                return try await AuditLog.$correlation.withValue(id) {
                    try await route(try await call(request, context))
                }
            } catch let refusal as ManagementRefusal {
                return try Self.json(refusal.failure, status: refusal.status)
            } catch {
                Logger.current.error("device administration failed", metadata: ["error": "\(error)"])
                let refusal = ManagementRefusal(.fault)
                return try Self.json(refusal.failure, status: refusal.status)
            }
        }
    }

    private func call(_ request: Request, _ context: some RequestContext) async throws -> AdminCall {
        var places: [String: String] = [:]
        for (name, value) in context.parameters {
            guard let text = String(value).removingPercentEncoding else { throw ManagementRefusal(.malformed) }
            places[String(name)] = text
        }
        let body: [UInt8]
        do {
            body = Array(try await request.body.collect(upTo: AdminCall.limits.bytes).readableBytesView)
        } catch { throw ManagementRefusal(.malformed) }
        let tenant = try await resolveTenant(places["tenant"] ?? "")
        return AdminCall(
            tenant: tenant, places: places, body: body, count: request.uri.queryParameters.get("count", as: Int.self))
    }

    private func resolveTenant(_ name: String) async throws -> TenantID {
        let ids = try await database.read { connection in
            let chosen: SQL = name == "-" ? "LIMIT 2" : "WHERE id = \(name.lowercased())"
            return try connection.values(.id, of: Organization.self, chosen) as [TenantID]
        }
        guard ids.count == 1, let id = ids.first else { throw ManagementRefusal(.noTenant) }
        return id
    }

    /// A JSON answer.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Answer.bytes(Array(try encoder.encode(value)), type: "application/json", status: status)
    }
}

/// A call that came over the administration socket, its tenant known to exist.
struct AdminCall: Sendable {
    let tenant: TenantID
    let places: [String: String]
    let body: [UInt8]
    /// How many lines are asked for.
    let count: Int?

    /// A profile, Base64, is the longest.
    static let limits = JSONLimits(bytes: 2 << 20)

    func place(_ name: String) throws -> String {
        guard let place = places[name] else { throw ManagementRefusal(.malformed) }
        return place
    }

    func decode<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
        do { return try JSONReader.read(Body.self, from: body, limits: Self.limits) } catch {
            throw ManagementRefusal(.malformed)
        }
    }
}
