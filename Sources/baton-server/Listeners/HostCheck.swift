// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import MDMServer

/// Accepts only requests to the host name of the devices' listener. Every URL for devices contains this name. Requests
/// to any other name get 421 (RFC 9110 section 15.5.20). ``HostResponder`` does the same for the main listener.
struct HostCheck: RouterMiddleware {
    typealias Context = MDMContext

    /// The listener's host name.
    let name: String

    func handle(
        _ request: Request, context: MDMContext, next: @concurrent (Request, MDMContext) async throws -> Response
    ) async throws -> Response {
        let host = (request.head.authority ?? "").prefix { $0 != ":" }
        guard host.lowercased() == name.lowercased() else { return Response(status: .misdirectedRequest) }
        return try await next(request, context)
    }
}
