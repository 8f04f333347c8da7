// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Processes
internal import UnixSocket

/// Serves the home screen's page on a socket that listens already, which Hummingbird's own server cannot.
struct HomeServer {
    let socket: LoopbackListener
    let logger: Logger

    /// The page's address.
    var address: String { "http://127.0.0.1:\(socket.port)/" }

    /// Serves until the task is cancelled. A connection that is open then is served until its client closes it, or until
    /// the process ends.
    ///
    /// - Throws: the error of the socket; `CancellationError` if the task was cancelled.
    func run(_ responder: some HTTPResponder<HomeContext>) async throws {
        let http = HTTP1Channel { [logger] request, writer, channel in
            let context = HomeContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            let response: Response
            do { response = try await responder.respond(to: request, context: context) } catch {
                // A page's request for the next view is cancelled when the home screen ends.
                if !(error is CancellationError) {
                    logger.error(
                        "a request of the home screen's page failed", metadata: ["error": "\(type(of: error))"])
                }
                response = Response(status: .internalServerError)
            }
            try await writer.write(response: response.head, body: response.body)
        }
        // NIO closes the descriptor that it gets.
        let number = socket.descriptor.withNumber { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        guard number >= 0 else { throw SocketError(call: .duplicate, errno: errno) }
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [logger] channel in
                http.setup(channel: channel, logger: logger).map { connection in
                    // At once, also while the server ends: NIO aborts the process if nobody takes a connection over.
                    let serving = Task { await http.handle(value: connection, logger: logger) }
                    channel.closeFuture.whenComplete { _ in serving.cancel() }
                }
            }
            .withBoundSocket(number).get()
        try await withTaskCancellationHandler {
            try await listener.closeFuture.get()
        } onCancel: {
            listener.close(promise: nil)
        }
        try Task.checkCancellation()
    }
}
