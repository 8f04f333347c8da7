// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import OAuth
internal import Synchronization

/// A web server on a loopback port that serves one browser for one attempt (RFC 8252 section 7.3).
///
/// Any process of the machine can connect to the port. Only connections of the user who opened the browser are read, as the
/// kernel reports that user; of these only the browser that began at the start address is served, which it shows by a
/// cookie. One ``LoopbackAttempt`` is shared by all connections.
package final class LoopbackServer: Sendable {
    /// How much a browser may take of this process.
    package struct Limits: Sendable {
        /// Connections of the browser at once; the next one is closed unread.
        package var connections = 16
        /// Connections at once of which nothing is known yet, since no browser was opened.
        package var unjudged = 64
        /// From the connection to the end of the request, and again for the answer.
        package var patience = Duration.seconds(10)
        /// Bytes of a form; a user name and a password have 256 characters each, of up to four bytes, percent-encoded.
        package var form = 8 << 10

        package init() {}
    }

    /// The scheme, address and port, with no slash at the end.
    package let origin: String
    private let attempt: LoopbackAttempt
    private let owner: LoopbackOwner
    private let channel: any Channel

    private init(origin: String, attempt: LoopbackAttempt, owner: LoopbackOwner, channel: any Channel) {
        (self.origin, self.attempt, self.owner, self.channel) = (origin, attempt, owner, channel)
    }

    /// The address that the browser opens. It works for the first browser that opens it.
    package var startURL: String { origin + "/" + attempt.start }

    /// Listens on a free port.
    ///
    /// - Parameters:
    ///   - owner: the user who opens the browser; no request is read before it is settled.
    ///   - unable: is called where the kernel does not say who connects, so that nobody can be served.
    ///   - serve: answers the browser.
    /// - Throws: `ChannelError`, `IOError`.
    package static func open(
        owner: Promise<UInt32>, limits: Limits = Limits(), unable: @escaping @Sendable (LoopbackPeerError) -> Void,
        serve: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
    ) async throws -> LoopbackServer {
        let attempt = LoopbackAttempt()
        let owner = LoopbackOwner(owner)
        let unjudged = LoopbackConnectionLimiter(limit: limits.unjudged)
        let admitted = LoopbackConnectionLimiter(limit: limits.connections)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // Other users can fill the queue of the kernel, too; it is emptied as fast as they do.
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let place = unjudged.take() else { throw LoopbackConnectionLimiter.Full() }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(
                        LoopbackConnection(
                            attempt: attempt, owner: owner, limits: limits, unjudged: place, admitted: admitted,
                            unable: unable, serve: serve))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return LoopbackServer(origin: "http://127.0.0.1:\(port)", attempt: attempt, owner: owner, channel: channel)
    }

    /// Closes the port, and what connected before a browser was opened; answers that are on their way still go out.
    package func close() {
        channel.close(promise: nil)
        owner.settle(nil)
    }
}
