// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import OAuth

/// Turns whatever a Graph route throws into Graph's own error shape.
struct GraphErrors: RouterMiddleware {
    typealias Context = IdentityContext

    let ambient: Ambient

    func handle(
        _ request: Request, context: IdentityContext,
        next: @concurrent (Request, IdentityContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return graphError(error, context).response(ambient, correlation: request.correlation)
        }
    }

    private func graphError(_ error: any Error, _ context: IdentityContext) -> GraphError {
        switch error {
        case let error as GraphError: return error
        case let refusal as AccessTokens.Refusal:
            context.logger.debug("bearer refused", metadata: ["bearer.refusal": "\(refusal)"])
            return .unauthenticated
        case is OAuthError: return .badRequest
        case let error as HTTPError where error.status == .notFound: return .notFound
        default:
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            return .fault
        }
    }
}
