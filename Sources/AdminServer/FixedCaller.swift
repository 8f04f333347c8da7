// SPDX-License-Identifier: Apache-2.0
package import Hummingbird

/// Makes one caller the caller of every request, for a router that only this caller can reach.
package struct FixedCaller: RouterMiddleware {
    package typealias Context = AdminContext

    private let caller: AdminCaller

    package init(_ caller: AdminCaller) { self.caller = caller }

    package func handle(
        _ request: Request, context: AdminContext, next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.caller = caller
        return try await next(request, context)
    }
}
