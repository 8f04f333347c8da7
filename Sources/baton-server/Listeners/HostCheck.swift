// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import MDMServer

/// Answers only requests to the devices' listener's own name, by which every address that a device is told begins; another name is
/// nobody's (RFC 9110 section 15.5.20). The main listener does the same by ``HostResponder``.
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
