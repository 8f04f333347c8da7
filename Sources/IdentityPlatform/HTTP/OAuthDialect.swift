// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import OAuth

/// Formats error responses as the token and authorisation endpoints require (RFC 6749 section 5.2, with Entra's
/// additions).
struct OAuthDialect: ErrorDialect {
    let environment: ClockAndRandomness
    let pages: Pages

    func answer(to error: any Error, for request: Request, logger: Logger) -> Response? {
        switch error {
        case let error as OAuthError:
            logger.info(
                "refused", metadata: ["oauth.number": "\(error.number)", "oauth.detail": "\(error.detail ?? "-")"])
            return error.response(environment, correlation: request.correlation)
        case is HashingPool.Busy:
            var response = OAuthError.busy.response(environment, correlation: request.correlation)
            response.headers[.retryAfter] = "2"
            return response
        default: return nil
        }
    }

    /// Returns a page if a person is waiting for one, otherwise an OAuth error.
    func unavailable(for request: Request) -> Response {
        if request.headers[.accept]?.contains("text/html") == true {
            return pages.refusal(.unavailable, in: Pages.setting(request))
        }
        return OAuthError.unavailable.response(environment, correlation: request.correlation)
    }

    func fault(for request: Request) -> Response {
        OAuthError.serverFault.response(environment, correlation: request.correlation)
    }
}
