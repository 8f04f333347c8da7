// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird

/// Refuses every request that does not come from the home screen's own page.
///
/// Every web page in a browser of this user can reach the loopback port; ``HomeServer`` refuses other users. The
/// browser reports the page that a request comes from (Fetch Metadata Request Headers, section 2; RFC 6454, section 7).
/// The check of `Host` refuses requests to other host names that resolve to this address (DNS rebinding).
struct OwnBrowserOnly: RouterMiddleware {
    typealias Context = HomeContext

    func handle(
        _ request: Request, context: HomeContext,
        next: @concurrent (Request, HomeContext) async throws -> Response
    ) async throws -> Response {
        guard let port = context.port, request.head.authority == "127.0.0.1:\(port)" else {
            throw HTTPError(.forbidden)
        }
        let site = request.headers[.fetchSite]
        switch request.method {
        case .get:
            // A navigation that the person starts comes from no page (`none`). The page's own requests are
            // `same-origin`.
            guard [nil, "none", "same-origin"].contains(site) else { throw HTTPError(.forbidden) }
        case .post:
            guard [nil, "same-origin"].contains(site), request.headers[.origin] == "http://127.0.0.1:\(port)",
                request.headers[.home] != nil  // A form of another page cannot send it.
            else { throw HTTPError(.forbidden) }
        default: throw HTTPError(.methodNotAllowed)
        }
        return try await next(request, context)
    }
}
