// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Storage

/// The format of one protocol's error responses.
protocol ErrorDialect: Sendable {
    /// Returns the response to an error that the protocol defines; nil for any other error.
    func answer(to error: any Error, for request: Request, logger: Logger) -> Response?

    /// Returns the response to any request while the database is unavailable; its status is 503.
    func unavailable(for request: Request) -> Response

    /// Returns the response to an unexpected error.
    func fault(for request: Request) -> Response
}

/// Turns a route's errors into responses in its host's dialect. Unexpected errors are logged. By convention, the
/// descriptions of errors contain no values.
struct ErrorMiddleware<Dialect: ErrorDialect>: RouterMiddleware {
    typealias Context = IdentityContext

    let dialect: Dialect

    func handle(
        _ request: Request, context: IdentityContext,
        next: @concurrent (Request, IdentityContext) async throws -> Response
    ) async throws -> Response {
        do {
            let response = try await next(request, context)
            context.logger.debug("answered", metadata: ["response.status": "\(response.status.code)"])
            return response
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            if let answer = dialect.answer(to: error, for: request, logger: context.logger) { return answer }
            if let error = error as? HTTPError, error.status.code < 500 { return Response(status: error.status) }
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            if let error = error as? StorageError, error.isTemporary {
                var response = dialect.unavailable(for: request)
                response.headers[.retryAfter] = "\(StorageError.retryPause.components.seconds)"
                return response
            }
            return dialect.fault(for: request)
        }
    }
}
