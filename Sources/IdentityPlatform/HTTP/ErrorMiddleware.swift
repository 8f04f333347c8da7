// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// How one protocol words what went wrong.
protocol ErrorDialect: Sendable {
    /// The answer for an error that the protocol foresees; nil for any other.
    func answer(to error: any Error, for request: Request, logger: Logger) -> Response?

    /// The answer for what nobody foresaw.
    func fault(for request: Request) -> Response
}

/// Turns whatever a route throws into an answer in the dialect of its host. What nobody foresaw is logged with the
/// request's id; the log gets the error's kind and its own text, which by our rules holds no values.
struct ErrorMiddleware<Dialect: ErrorDialect>: RouterMiddleware {
    typealias Context = IdentityContext

    let dialect: Dialect

    func handle(
        _ request: Request, context: IdentityContext,
        next: @concurrent (Request, IdentityContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let correlation = request.correlation {
            context.logger[metadataKey: "request.correlation"] = "\(correlation)"
        }
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
            return dialect.fault(for: request)
        }
    }
}
