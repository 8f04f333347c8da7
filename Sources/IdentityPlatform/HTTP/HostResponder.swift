// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
package import Hummingbird
internal import Logging
internal import Storage

/// Gives each request its ids, and dispatches requests by host name. A request for a name that is not configured gets
/// status 421 (RFC 9110 section 15.5.20).
package struct HostResponder: HTTPResponder {
    private let responders: [String: any HTTPResponder<IdentityContext>]
    /// The routes of all hosts.
    package let routes: [(method: HTTPRequest.Method, path: String)]
    private let environment: ClockAndRandomness

    /// - Parameter responders: the responder for each list of host names. The names are in lower case and without a
    ///   port, and each occurs at most once.
    package init(
        _ responders: [[String]: any HTTPResponder<IdentityContext>],
        routes: [(method: HTTPRequest.Method, path: String)], environment: ClockAndRandomness
    ) {
        (self.routes, self.environment) = (routes, environment)
        self.responders = responders.reduce(into: [:]) { all, entry in
            for name in entry.key { all[name] = entry.value }
        }
    }

    package func respond(to request: Request, context: IdentityContext) async throws -> Response {
        let ids = RequestIDs(request, environment)
        var context = context
        context.logger[metadataKey: RequestIDs.correlationKey] = "\(ids.correlation)"
        if ids.trace != ids.correlation { context.logger[metadataKey: RequestIDs.traceKey] = "\(ids.trace)" }
        var response = try await RequestIDs.$current.withValue(ids) {
            try await AuditLog.$correlation.withValue(ids.correlation) { [context] in
                try await AuditLog.$clientAddress.withValue(context.client.text) {
                    try await dispatch(request, context)
                }
            }
        }
        response.headers[.requestID] = ids.trace
        return response
    }

    private func dispatch(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let authority = request.head.authority ?? ""
        let host = authority.prefix { $0 != ":" }.lowercased()
        guard let responder = responders[host] else {
            return SecurityHeaders.applied(to: Response(status: .misdirectedRequest))
        }
        return try await responder.respond(to: request, context: context)
    }
}
