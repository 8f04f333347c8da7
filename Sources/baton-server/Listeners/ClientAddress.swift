// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import IdentityPlatform
internal import MDMServer
internal import Storage

/// Lets what a device's request changes be recorded with the client's address. ``HostResponder`` does the same for the
/// main listener.
struct ClientAddress: RouterMiddleware {
    typealias Context = MDMContext

    func handle(
        _ request: Request, context: MDMContext, next: @concurrent (Request, MDMContext) async throws -> Response
    ) async throws -> Response {
        try await AuditLog.$clientAddress.withValue(ForwardedClient.current?.address?.text) {
            try await next(request, context)
        }
    }
}
