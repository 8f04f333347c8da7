// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import OAuth

/// Formats error responses as Graph does.
struct GraphDialect: ErrorDialect {
    let environment: ClockAndRandomness
    let challenge: BearerChallenge

    func answer(to error: any Error, for request: Request, logger: Logger) -> Response? {
        switch error {
        case let error as GraphError: return words(error, request)
        case let refusal as AdminRefusal: return words(GraphError(refusal), request)
        case let refusal as NamedRefusal: return words(GraphError(refusal.refusal), request)
        case let refusal as AccessTokens.Refusal:
            logger.debug("bearer refused", metadata: ["bearer.refusal": "\(refusal)"])
            var response = words(.unauthenticated, request)
            response.headers[.wwwAuthenticate] = challenge.header(for: refusal)
            return response
        case is OAuthError: return words(.badQuery, request)
        case let error as HTTPError where error.status == .notFound: return words(.notFound, request)
        default: return nil
        }
    }

    func unavailable(for request: Request) -> Response { words(.unavailable, request) }

    func fault(for request: Request) -> Response { words(.fault, request) }

    private func words(_ error: GraphError, _ request: Request) -> Response {
        error.response(environment, correlation: request.correlation)
    }
}
