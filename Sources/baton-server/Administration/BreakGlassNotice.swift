// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import HTTPTypes
internal import Hummingbird
internal import IdentityPlatform
internal import Storage

/// Informs every administrator while break-glass access is in force: until the access ends, each answer of the
/// administration contains the time of its end.
struct BreakGlassNotice: RouterMiddleware {
    typealias Context = AdminContext

    /// Returns when the last break-glass access that is in force within a caller's reach ends; nil if none is in force.
    let end: @Sendable (AdminCaller.Reach) async throws -> Timestamp?

    func handle(
        _ request: Request, context: AdminContext, next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        let reach = context.caller?.reach ?? .noTenant
        let before = try await self.end(reach)
        var response = try await next(request, context)
        let end: Timestamp?
        // The request has been carried out, so its answer must arrive even if the database has just failed.
        do { end = try await self.end(reach) } catch { end = before }
        if let end, let name = HTTPField.Name(Platform.breakGlassHeader) {
            response.headers[name] = String(end.rawValue)
        }
        return response
    }
}
