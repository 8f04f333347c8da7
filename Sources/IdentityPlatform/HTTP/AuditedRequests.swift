// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import Hummingbird
internal import Logging
internal import Storage

/// Sets the request id for all audit entries that a request writes. If the client sent an id, that id is used, because
/// the client's log contains it too. Otherwise the id in the server's log is used.
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
