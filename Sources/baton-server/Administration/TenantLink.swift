// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import HTTPTypes
internal import Hummingbird
internal import IdentityPlatform
internal import MDMServer
internal import Storage

/// Before a call reaches device management, copies to it those organisations of the identity platform that the caller
/// can name. The two engines do not depend on each other.
struct TenantLink: RouterMiddleware {
    typealias Context = AdminContext

    let identity: Platform
    let management: MDMService

    func handle(
        _ request: Request, context: AdminContext, next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        if request.uri.path.hasPrefix("/mdm/"), let reach = context.caller?.reach {
            for tenant in try await tenants(in: reach) {
                try await management.prepareTenant(tenant.id, organization: tenant.displayName, domain: tenant.domain)
            }
        }
        return try await next(request, context)
    }

    private func tenants(in reach: AdminCaller.Reach) async throws -> [Tenant] {
        switch reach {
        case .noTenant: []
        case .tenant(let own): [try await identity.database.read { try Tenants($0).find(own) }].compactMap(\.self)
        case .everyTenant: try await identity.database.read { try Tenants($0).all() }
        }
    }
}
