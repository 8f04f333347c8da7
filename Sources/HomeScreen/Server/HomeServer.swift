// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Processes
internal import Synchronization
internal import UnixSocket

/// Serves the home screen's page on a socket that is already listening. Hummingbird's own server cannot use such a
/// socket.
///
/// Every process on the machine can connect to the port. Requests are read only from connections that, according to the
/// kernel, belong to the server's own user.
struct HomeServer {
    /// Limits on the resources of this process that browsers may use.
    struct Limits: Sendable {
        /// The maximum number of concurrent connections; further ones are closed unread. A page has up to six.
        var connections = 64
        /// How long a connection may stay open without a complete request.
        var patience = Duration.seconds(30)
    }

    let socket: LoopbackListener
    /// The user whose browsers are served.
    var owner = geteuid()
    var limits = Limits()
    let logger: Logger

    /// The page's address.
    var address: String { "http://127.0.0.1:\(socket.port)/" }

    /// Serves until the task is cancelled. A connection that is open at that time is served until its client closes it,
    /// or until the process ends.
    ///
    /// - Throws: the error of the socket; `CancellationError` if the task was cancelled.
    func run(_ responder: some HTTPResponder<HomeContext>) async throws {
        let idle = HTTP1Channel.Configuration(idleTimeout: TimeAmount(limits.patience))
        let respond: HTTPChannelHandler.Responder = { [logger] request, writer, channel in
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
        let http = HTTP1Channel(responder: respond, configuration: idle)
        let limiter = ConnectionLimiter(limits.connections)
        // NIO closes the descriptor that it gets.
        let number = socket.descriptor.withNumber { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        guard number >= 0 else { throw SocketError(call: .duplicate, errno: errno) }
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [owner, logger] channel in
                // NIO closes the connection.
                guard channel.peer?.user == owner, limiter.take(until: channel.closeFuture) else {
                    return channel.eventLoop.makeFailedFuture(Unserved())
                }
                return http.setup(channel: channel, logger: logger).map { connection in
                    // Serve the connection at once, even while the server is shutting down: NIO aborts the process if
                    // nobody takes the connection over.
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

    /// The error for a connection that is closed unread.
    private struct Unserved: Error {}

    /// The connections that are open.
    private final class ConnectionLimiter: Sendable {
        private let free: Mutex<Int>

        init(_ count: Int) { free = Mutex(count) }

        /// Counts a connection until this future is complete; returns false if the maximum is reached.
        func take(until end: EventLoopFuture<Void>) -> Bool {
            let isTaken = free.withLock { free in
                guard free > 0 else { return false }
                free -= 1
                return true
            }
            if isTaken { end.whenComplete { _ in self.free.withLock { $0 += 1 } } }
            return isTaken
        }
    }
}
