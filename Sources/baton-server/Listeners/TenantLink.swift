// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import IdentityPlatform
internal import MDMServer
internal import Storage

/// Makes the organisations of the identity platform known to device management before an administrator's call reaches
/// it; the two engines do not know each other.
struct TenantLink: RouterMiddleware {
    typealias Context = AdminContext

    let identity: Platform
    let management: Management

    func handle(
        _ request: Request, context: AdminContext, next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        if request.uri.path.hasPrefix("/mdm/") {
            for tenant in try await identity.database.read({ try Tenants($0).all() }) {
                try await management.prepareTenant(tenant.id, organization: tenant.displayName, domain: tenant.domain)
            }
        }
        return try await next(request, context)
    }
}
