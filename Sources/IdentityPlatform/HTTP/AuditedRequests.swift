// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import Hummingbird
internal import Logging
internal import Storage

/// Sets the request id for every audit line that a request writes: the client's own id, if it sent one, which also
/// appears in the client's log; otherwise the server's, which appears in the server's log.
package struct AuditedRequests<Context: RequestContext>: RouterMiddleware {
    package init() {}

    package func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        try await AuditLog.$correlation.withValue(request.auditedID(context)) {
            try await next(request, context)
        }
    }
}

extension Request {
    /// Returns the request's id for the audit log.
    func auditedID(_ context: some RequestContext) -> String? {
        correlation ?? context.logger[metadataKey: "hb.request.id"]?.description
    }
}
