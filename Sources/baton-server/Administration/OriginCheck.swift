// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import HTTPTypes
internal import Hummingbird

/// Refuses requests that another site's page makes. Callers authenticate with a token that no browser adds by itself, so
/// such a request has no authority; it is refused so that a page cannot even try tokens.
struct OriginCheck: RouterMiddleware {
    typealias Context = AdminContext

    /// The origin of the listener itself.
    let origin: String

    func handle(
        _ request: Request, context: AdminContext, next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        let site = request.headers[Self.site]
        guard request.headers[.origin].map({ $0 == origin }) ?? true, ["none", "same-origin", nil].contains(site) else {
            return Response(
                OperationRefusal(
                    "admin.origin", status: .forbidden,
                    (
                        "The request comes from a page of another site.",
                        "Call from a program, or from a page of this server."
                    )))
        }
        return try await next(request, context)
    }

    private static let site = AdminFieldName.fetchSite.field
}
