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

    /// Serves until the task is cancelled.
    ///
    /// - Throws: the error of the socket; `CancellationError` if the task was cancelled.
    func run(_ responder: some HTTPResponder<HomeContext>) async throws {
        let http = HTTP1Channel { [logger] request, writer, channel in
            let context = HomeContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            let response =
                (try? await responder.respond(to: request, context: context)) ?? Response(status: .internalServerError)
            try await writer.write(response: response.head, body: response.body)
        }
        // NIO closes the descriptor that it gets.
        let number = socket.descriptor.withNumber { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        guard number >= 0 else { throw SocketError(call: .duplicate, errno: errno) }
        let connections = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(number) { [logger] channel in http.setup(channel: channel, logger: logger) }
        do {
            try await connections.executeThenClose { arriving in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await connection in arriving {
                        group.addTask { [logger] in await http.handle(value: connection, logger: logger) }
                    }
                }
            }
        } catch  where Task.isCancelled {
            // A connection that closes meanwhile has an error of its own.
            throw CancellationError()
        }
    }
}
