// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import Hummingbird

/// Dispatches requests by host name. A name that is not configured gets 421 (RFC 9110 section 15.5.20).
package struct HostResponder: HTTPResponder {
    private let responders: [String: any HTTPResponder<IdentityContext>]

    /// - Parameter responders: the responder for each list of host names. The names are in lower case and without a
    ///   port, and each occurs at most once.
    package init(_ responders: [[String]: any HTTPResponder<IdentityContext>]) {
        self.responders = responders.reduce(into: [:]) { all, entry in
            for name in entry.key { all[name] = entry.value }
        }
    }

    package func respond(to request: Request, context: IdentityContext) async throws -> Response {
        let authority = request.head.authority ?? ""
        let host = authority.prefix { $0 != ":" }.lowercased()
        guard let responder = responders[host] else {
            return SecurityHeaders.applied(to: Response(status: .misdirectedRequest))
        }
        return try await responder.respond(to: request, context: context)
    }
}
