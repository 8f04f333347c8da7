// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird

/// Accepts only requests to a listener's own host name, which every URL of the listener contains. Requests to any other
/// name get 421 (RFC 9110 section 15.5.20). ``HostResponder`` does the same for the main listener. ``HeadCheck`` has
/// replaced the host by that of the target, if the target has one.
struct HostCheck<Context: RequestContext>: RouterMiddleware {
    /// The listener's host name.
    let name: String
    /// The port in the listener's URLs, which may be that of a load balancer; nil if any port is right.
    var port: Int?
    /// Returns the response to a request to another name.
    var refusal: @Sendable () -> Response = { Response(status: .misdirectedRequest) }

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let authority = request.head.authority ?? ""
        let host = authority.prefix { $0 != ":" }
        let given = authority.dropFirst(host.count + 1)
        // The port may be missing.
        guard host.lowercased() == name.lowercased(), port == nil || given.isEmpty || Int(given) == port else {
            return refusal()
        }
        return try await next(request, context)
    }
}
