// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Storage

/// Answers calls of administration with 503 while a database is temporarily unavailable. The other listeners
/// do the same, in the dialects of their protocols.
struct OutageResponse: RouterMiddleware {
    typealias Context = AdminContext

    func handle(
        _ request: Request, context: AdminContext, next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as StorageError where error.isTemporary {
            context.logger.error("administration failed", metadata: ["error": "\(error)"])
            let failure = AdminFailure(
                code: "server.database.unavailable", message: "The server cannot use its database at this moment.",
                remedy: "Try again in a few seconds; the server's log says more.")
            return Response(
                status: .serviceUnavailable,
                headers: [
                    .contentType: "application/json",
                    .retryAfter: "\(StorageError.retryPause.components.seconds)",
                ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: try AdminAnswer.json(failure))))
        }
    }
}
