// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import Logging
internal import NIOCore
internal import Storage

/// Adds the routes of the administration socket to a router.
struct MDMAdminRouter<Context: RequestContext> {
    let router: Router<Context>
    let calls: MDMAdminCalls

    /// Adds the route of an operation with a body and a reply.
    func on<Body: Decodable, Reply: Encodable>(
        _ endpoint: Endpoint<Body, Reply>, answer: @escaping @Sendable (MDMAdminCall, Body) async throws -> Reply
    ) {
        add(endpoint.operation) { call, status in
            try Answer.json(try await answer(call, try call.decode()), status: status)
        }
    }

    /// Adds the route of an operation without a body and with a reply.
    func on<Reply: Encodable>(
        _ endpoint: Endpoint<Empty, Reply>, answer: @escaping @Sendable (MDMAdminCall) async throws -> Reply
    ) {
        add(endpoint.operation) { call, status in try Answer.json(try await answer(call), status: status) }
    }

    /// Adds the route of an operation without a body and without a reply.
    func on(_ endpoint: Endpoint<Empty, Empty>, answer: @escaping @Sendable (MDMAdminCall) async throws -> Void) {
        add(endpoint.operation) { call, status in
            try await answer(call)
            return Response(status: status)
        }
    }

    /// Adds the route of an operation that returns an export.
    func on(_ endpoint: Endpoint<Empty, Export>, answer: @escaping @Sendable (MDMAdminCall) async throws -> Response) {
        add(endpoint.operation) { call, _ in try await answer(call) }
    }

    /// Adds one route. Its refusals become `{"error":…}`.
    private func add(
        _ operation: AdminOperation,
        respond: @escaping @Sendable (MDMAdminCall, HTTPResponse.Status) async throws -> Response
    ) {
        let status = HTTPResponse.Status(code: operation.status)
        guard let method = HTTPRequest.Method(operation.method.rawValue) else {
            preconditionFailure("\(operation.id) has a method that HTTP does not allow")
        }
        router.on(RouterPath(operation.path), method: method) { [calls] request, context in
            do {
                let id = context.logger[metadataKey: "hb.request.id"]?.description
                return try await AuditLog.$correlation.withValue(id) {
                    try await respond(try await calls.read(request, context, of: operation), status)
                }
            } catch let refusal as MDMAdminRefusal {
                return try Answer.json(refusal.failure, status: refusal.status)
            } catch let error as StorageError where error.isTemporary {
                // The socket's listener turns this error into a response, for both engines.
                throw error
            } catch {
                Logger.current.error("device administration failed", metadata: ["error": "\(error)"])
                let refusal = MDMAdminRefusal(.fault)
                return try Answer.json(refusal.failure, status: refusal.status)
            }
        }
    }
}

/// Parses calls on the administration socket.
struct MDMAdminCalls: Sendable {
    let database: any Database

    func read(
        _ request: Request, _ context: some RequestContext, of operation: AdminOperation
    ) async throws -> MDMAdminCall {
        var places: [String: String] = [:]
        for (name, value) in context.parameters {
            places[String(name)] = try ObjectName(given: String(value).removingPercentEncoding).text
        }
        let body: [UInt8]
        do {
            body = Array(try await request.body.collect(upTo: MDMAdminCall.limits.bytes).readableBytesView)
        } catch { throw MDMAdminRefusal(.malformed) }
        // The audit log of a removed tenant stays readable for as long as its lines are kept.
        let logs = [MDMAdmin.listManagementAuditEntries.operation, MDMAdmin.exportManagementAuditEntries.operation]
        let isLog = logs.contains { $0.id == operation.id }
        let tenant = try await resolveTenant(places["tenant"] ?? "", orRemoved: isLog)
        return MDMAdminCall(
            tenant: tenant, places: places, body: body, count: request.uri.queryParameters.get("count", as: Int.self),
            period: AuditPeriod(request), replaces: request.uri.queryParameters.get("replace") == "true")
    }

    private func resolveTenant(_ text: String, orRemoved: Bool) async throws -> TenantID {
        let name = try ObjectName(given: text)
        return try await database.read { connection in
            if orRemoved, let id = TenantID(rawValue: text),
                try connection.exists(Organization.self, "WHERE id = \(id) AND removed IS NOT NULL")
            {
                return id
            }
            let items = NamedItems(connection)
            return try text == "-" ? items.onlyTenant() : items.tenant(name)
        }
    }
}

extension AuditPeriod {
    /// Nil unless the query has both ends of a period.
    fileprivate init?(_ request: Request) {
        let query = request.uri.queryParameters
        guard let from = query.get("from", as: Int64.self), let to = query.get("to", as: Int64.self), from < to else {
            return nil
        }
        self.init(from: Timestamp(rawValue: from), to: Timestamp(rawValue: to))
    }
}

extension Answer {
    /// Returns a JSON response.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        Answer.bytes(try AdminAnswer.json(value), type: "application/json", status: status)
    }
}
