// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import IdentityPlatform
internal import Storage

/// Makes the client's address available to the audit log, which records it with each change that a request makes. ``HostResponder`` does the same for the main listener.
struct ClientAddress<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        try await AuditLog.$clientAddress.withValue(ForwardedClient.current?.address?.text) {
            try await next(request, context)
        }
    }
}
