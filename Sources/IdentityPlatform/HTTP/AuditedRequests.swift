// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import Hummingbird
internal import Logging
internal import Storage

/// Gives every line of the audit log that a request brings about that request's id: the client's own where it sent one, so
/// that it is found again in the client's log, else the server's, which stands in the server's log.
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
    /// The id of the request for the audit log.
    func auditedID(_ context: some RequestContext) -> String? {
        correlation ?? context.logger[metadataKey: "hb.request.id"]?.description
    }
}
