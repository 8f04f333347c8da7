// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import Foundation
package import HTTPTypes
package import Hummingbird
internal import JSON
internal import Logging
internal import NIOCore
internal import Storage

/// The administration socket's routes for the identity platform. Whoever reaches the socket is trusted in full; the
/// executable sees to who that is.
package struct AdminRoutes: Sendable {
    let platform: Platform
    var administration: Administration { Administration(platform) }

    package init(_ platform: Platform) { self.platform = platform }

    /// Adds every path of ``IdentityAdmin/Path``.
    package func addRoutes<Context: RequestContext>(to router: Router<Context>) {
        addTenantRoutes(to: router)
        addUserRoutes(to: router)
        addRoleRoutes(to: router)
        addClientRoutes(to: router)
        addDeviceRoutes(to: router)
        addGroupRoutes(to: router)
        addSessionRoutes(to: router)
        addSigningKeyRoutes(to: router)
        addReceiptRoutes(to: router)
        addOfflineRoutes(to: router)
    }
}

extension AdminRoutes {
    /// Adds one route whose refusals become `{"error":…}`.
    package func on<Context: RequestContext>(
        _ router: Router<Context>, _ method: HTTPRequest.Method, _ path: IdentityAdmin.Path,
        _ route: @escaping @Sendable (Request, Context) async throws -> Response
    ) {
        router.on(RouterPath(path.rawValue), method: method) { request, context in
            do {
                return try await AuditLog.$correlation.withValue(request.auditedID(context)) {
                    try await route(request, context)
                }
            } catch let refusal as AdminRefusal {
                return Self.answer(refusal)
            } catch {
                context.logger.error("administration failed", metadata: ["error": "\(error)"])
                return Self.answer(.fault)
            }
        }
    }

    private static func answer(_ refusal: AdminRefusal) -> Response {
        do {
            return try json(refusal.failure, status: refusal.status)
        } catch {
            return Response(status: .internalServerError)
        }
    }

    /// A JSON answer.
    package static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Response(status: status, json: Array(try encoder.encode(value)))
    }

    private static let bodyLimits = JSONLimits(bytes: 64 << 10)

    /// Reads a JSON body of at most 64 KiB.
    package func body<Body: Decodable>(_ request: Request, as type: Body.Type = Body.self) async throws -> Body {
        do {
            let buffer = try await request.body.collect(upTo: Self.bodyLimits.bytes)
            return try JSONReader.read(Body.self, from: Array(buffer.readableBytesView), limits: Self.bodyLimits)
        } catch {
            throw AdminRefusal.malformed
        }
    }

    /// A place of the path, percent-decoded.
    package func place(_ name: String, _ context: some RequestContext) throws -> String {
        guard let text = context.parameters.get(name)?.removingPercentEncoding else { throw AdminRefusal.malformed }
        return text
    }

    /// The tenant that the path names.
    package func tenant(_ context: some RequestContext) async throws -> Tenant {
        let name = try place("tenant", context)
        let tenant = try await platform.database.read { connection in
            let tenants = Tenants(connection)
            if name == "-" { return try tenants.only() }
            return try TenantID(rawValue: name).map { try tenants.find($0) } ?? tenants.find(domain: name)
        }
        guard let tenant else { throw AdminRefusal.noTenant }
        return tenant
    }
}
