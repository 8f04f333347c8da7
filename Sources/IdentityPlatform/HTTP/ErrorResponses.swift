// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import OAuth

/// Turns whatever a route throws into an answer. What nobody foresaw is logged with the request's id and answered
/// `server_error`; the log gets the error's kind and its own text, which by our rules holds no values.
struct ErrorResponses: RouterMiddleware {
    typealias Context = IdentityContext

    let ambient: Ambient

    func handle(
        _ request: Request, context: IdentityContext,
        next: @concurrent (Request, IdentityContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let correlation = request.correlation
        if let correlation { context.logger[metadataKey: "request.correlation"] = "\(correlation)" }
        do {
            let response = try await next(request, context)
            context.logger.debug("answered", metadata: ["response.status": "\(response.status.code)"])
            return response
        } catch let error as OAuthError {
            context.logger.info(
                "refused", metadata: ["oauth.number": "\(error.number)", "oauth.detail": "\(error.detail ?? "-")"])
            return error.response(ambient, correlation: correlation)
        } catch is HashingPool.Busy {
            var response = OAuthError.busy.response(ambient, correlation: correlation)
            response.headers[.retryAfter] = "2"
            return response
        } catch let error as HTTPError where error.status.code < 500 {
            return Response(status: error.status)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            return OAuthError.serverFault.response(ambient, correlation: correlation)
        }
    }
}
