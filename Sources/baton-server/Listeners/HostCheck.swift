// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird

/// Accepts only requests to a listener's own host name, which every URL of the listener contains. Requests to any other
/// name get 421 (RFC 9110 section 15.5.20). ``HostResponder`` does the same for the main listener.
struct HostCheck<Context: RequestContext>: RouterMiddleware {
    /// The listener's host name.
    let name: String

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let host = (request.head.authority ?? "").prefix { $0 != ":" }
        guard host.lowercased() == name.lowercased() else { return Response(status: .misdirectedRequest) }
        return try await next(request, context)
    }
}
