// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import Logging
internal import NIOCore
internal import Storage

/// Adds calls of the administration socket to a router.
struct ManagementRouter<Context: RequestContext> {
    let router: Router<Context>
    let calls: ManagementCalls

    /// Adds one call, whose refusals become `{"error":…}`.
    func on(
        _ method: HTTPRequest.Method, _ path: MDMAdmin.Path,
        answer: @escaping @Sendable (ManagementCall) async throws -> Response
    ) {
        router.on(RouterPath(path.rawValue), method: method) { [calls] request, context in
            do {
                let id = context.logger[metadataKey: "hb.request.id"]?.description
                return try await AuditLog.$correlation.withValue(id) {
                    try await answer(try await calls.read(request, context))
                }
            } catch let refusal as ManagementRefusal {
                return try Answer.json(refusal.failure, status: refusal.status)
            } catch {
                Logger.current.error("device administration failed", metadata: ["error": "\(error)"])
                let refusal = ManagementRefusal(.fault)
                return try Answer.json(refusal.failure, status: refusal.status)
            }
        }
    }
}

/// Reads calls of the administration socket.
struct ManagementCalls: Sendable {
    let database: any Database

    func read(_ request: Request, _ context: some RequestContext) async throws -> ManagementCall {
        var places: [String: String] = [:]
        for (name, value) in context.parameters {
            guard let text = String(value).removingPercentEncoding else { throw ManagementRefusal(.malformed) }
            places[String(name)] = text
        }
        let body: [UInt8]
        do {
            body = Array(try await request.body.collect(upTo: ManagementCall.limits.bytes).readableBytesView)
        } catch { throw ManagementRefusal(.malformed) }
        let tenant = try await resolveTenant(places["tenant"] ?? "")
        return ManagementCall(
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
}

extension Answer {
    /// A JSON answer.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        Answer.bytes(try AdminAnswer.json(value), type: "application/json", status: status)
    }
}
