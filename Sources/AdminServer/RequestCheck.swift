// SPDX-License-Identifier: Apache-2.0
package import Hummingbird

/// Refuses some requests before any operation reads them.
package protocol RequestCheck: RouterMiddleware where Context == AdminContext {
    /// Returns why a request is refused; nil if it may go on.
    func refusal(of request: Request) -> OperationRefusal?
}

extension RequestCheck {
    package func handle(
        _ request: Request, context: AdminContext, next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        if let refusal = refusal(of: request) { return Response(refusal) }
        return try await next(request, context)
    }
}
