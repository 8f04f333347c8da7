// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import HTTPTypes
internal import Hummingbird
internal import IdentityPlatform
internal import Logging

/// Identifies the caller by the access token of the request, and limits how often one caller may call.
struct TokenCheck: RouterMiddleware {
    typealias Context = AdminContext

    let authorizer: AdminAuthorizer
    let rates: CallRates

    func handle(
        _ request: Request, context: AdminContext, next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        do {
            context.caller = try await caller(of: request)
        } catch let refusal as OperationRefusal {
            context.logger.info(
                "administration refused", metadata: ["refusal.code": "\(refusal.failure.error.code)"])
            return Response(refusal)
        }
        return try await next(request, context)
    }

    /// - Throws: ``OperationRefusal``, or an error of the database.
    private func caller(of request: Request) async throws -> AdminCaller {
        let address = ForwardedClient.current?.address?.text ?? ""
        let caller: AdminCaller
        do { caller = try await authorizer.caller(authorization: request.headers[.authorization]) } catch let refusal
            as OperationRefusal
        {
            try rates.count(.refusals, of: address)
            throw refusal
        }
        try rates.count(.calls, of: caller.reach == .noTenant ? address : caller.account)
        return caller
    }
}
