// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird

/// Adds the security headers to every response, except headers that the route has set itself.
struct SecurityHeaders: RouterMiddleware {
    typealias Context = IdentityContext

    func handle(
        _ request: Request, context: IdentityContext,
        next: @concurrent (Request, IdentityContext) async throws -> Response
    ) async throws -> Response {
        var response = Self.applied(to: try await next(request, context))
        if let correlation = request.correlation { response.headers[.clientRequestID] = correlation }
        return response
    }

    /// Returns the response with default values for the security headers that it does not set itself.
    static func applied(to response: Response) -> Response {
        var response = response
        for (name, value) in defaults where response.headers[name] == nil { response.headers[name] = value }
        return response
    }

    private static let defaults: [(HTTPField.Name, String)] = [
        (.cacheControl, "no-store"), (.referrerPolicy, "no-referrer"), (.xContentTypeOptions, "nosniff"),
        (.strictTransportSecurity, "max-age=31536000"), (.frameOptions, "DENY"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
    ]
}
