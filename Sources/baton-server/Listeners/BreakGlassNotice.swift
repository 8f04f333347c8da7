// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import IdentityPlatform
internal import Storage

/// Tells every administrator that break-glass access is in force: each answer of the administration socket then says
/// until when.
struct BreakGlassNotice: RouterMiddleware {
    typealias Context = AdminContext

    let identity: Platform

    func handle(
        _ request: Request, context: AdminContext, next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if let active = try await identity.activeBreakGlass(),
            let name = HTTPField.Name(Platform.breakGlassHeader)
        {
            response.headers[name] = String(active.until.rawValue)
        }
        return response
    }
}
