// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Storage

/// The part of Microsoft Graph v1.0 that the platform serves for its own directory. It consists of every
/// ``GraphRoute``, each restricted by its ``GraphAccess``.
struct GraphEndpoints: Sendable {
    let accessTokens: AccessTokens
    /// The resource for which a token must have been issued.
    let resource: Resource
    let directory: GraphDirectory

    init(_ platform: Platform) {
        (accessTokens, resource) = (platform.accessTokens, platform.resources.graph)
        directory = GraphDirectory(platform)
    }

    func addRoutes(to router: Router<IdentityContext>) {
        for route in GraphRoute.all {
            router.on(RouterPath("/v1.0" + route.path), method: route.method) { request, context in
                try await answer(request, context, by: route)
            }
        }
    }

    private func answer(_ request: Request, _ context: IdentityContext, by route: GraphRoute) async throws -> Response {
        let token = try await accessTokens.check(
            authorization: request.headers[.authorization], for: resource)
        let match = try route.access.judge(token)
        if case .breakGlass(let grant) = match {
            try await record(grant, usedBy: token, on: route)
            context.logger.warning(
                "break-glass access was used",
                metadata: ["grant.id": "\(grant.id)", "request.route": "\(route.method) \(route.path)"])
        }
        let call = GraphCall(
            directory: directory, request: request, context: context, token: token, access: route.access)
        return try await AuditLog.$interface.withValue(.graph) { try await route.answer(call) }
    }

    /// Records in the audit log that the caller is served because of break-glass access. Without this record the caller
    /// is not served.
    private func record(_ grant: BreakGlassGrant, usedBy token: AccessToken, on route: GraphRoute) async throws {
        try await directory.database.write { [directory] connection in
            let now = directory.environment.now()
            let held = try HeldRoles(of: token.user.id, tenant: token.tenant, at: now, connection)
            guard held.breakGlass.contains(where: { $0.id == grant.id }) else { throw GraphError.missingRole }
            try BreakGlassGrants(connection).recordUse(grant, for: "\(route.method):\(route.path)", at: now)
        }
    }
}
