// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import OAuth
package import Processes
internal import Synchronization
package import WebPages

/// Answers a request from the browser, in the given language.
package typealias LoopbackHandler = @Sendable (LoopbackRequest, Language) async -> LoopbackResponse

/// A web server on a loopback port that serves one browser for one attempt (RFC 8252 section 7.3).
///
/// Any process of the machine can connect to the port. Requests are read only from connections that, according to the
/// kernel, belong to the user who opened the browser. Among that user's programs, only the browser that first opened
/// the start address is served; that browser identifies itself by a cookie. All connections share one
/// ``LoopbackAttempt``.
package final class LoopbackServer: Sendable {
    /// Limits on the resources of this process that a browser may use.
    package struct Limits: Sendable {
        /// The maximum number of concurrent connections from the browser; further connections are closed unread.
        package var connections = 16
        /// The maximum number of concurrent connections whose user is not known yet, because no browser has been
        /// opened.
        package var unjudged = 64
        /// The time limit from the start of the connection to the end of the request. Sending the answer has a limit of
        /// the same length.
        package var patience = Duration.seconds(10)
        /// The maximum size of a form in bytes. A user name and a password have up to 256 characters each, of up to
        /// four bytes, percent-encoded.
        package var form = 8 << 10

        package init() {}
    }

    /// The scheme, address and port, without a slash at the end.
    package let origin: String
    private let attempt: LoopbackAttempt
    private let owner: LoopbackOwner
    private let channel: any Channel

    private init(origin: String, attempt: LoopbackAttempt, owner: LoopbackOwner, channel: any Channel) {
        (self.origin, self.attempt, self.owner, self.channel) = (origin, attempt, owner, channel)
    }

    /// The address that the browser opens. It works only for the first browser that opens it.
    package var startURL: String { origin + "/" + attempt.start }

    /// Listens on a free port.
    ///
    /// - Parameters:
    ///   - language: the language of all pages; nil for the language that each request prefers.
    ///   - owner: the user who opens the browser; no request is read before this user is known.
    ///   - unable: called if the kernel does not report who connects, so that nobody can be served.
    ///   - serve: answers the browser's requests, in the language that is passed to it. It is not called for the files
    ///     that pages load.
    /// - Throws: `ChannelError`, `IOError`.
    package static func open(
        in language: Language? = nil, owner: Promise<UInt32>, limits: Limits = Limits(),
        unable: @escaping @Sendable (LoopbackPeerError) -> Void, serve: @escaping LoopbackHandler
    ) async throws -> LoopbackServer {
        let attempt = LoopbackAttempt()
        let owner = LoopbackOwner(owner)
        let unjudged = LoopbackConnectionLimiter(limit: limits.unjudged)
        let admitted = LoopbackConnectionLimiter(limit: limits.connections)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // Other users' connections also enter the kernel's queue; this process empties the queue as fast as
            // connections arrive.
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let place = unjudged.take() else { throw LoopbackConnectionLimiter.Full() }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(
                        LoopbackConnection(
                            attempt: attempt, owner: owner, limits: limits, unjudged: place, admitted: admitted,
                            unable: unable, language: language, serve: serve))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return LoopbackServer(origin: "http://127.0.0.1:\(port)", attempt: attempt, owner: owner, channel: channel)
    }

    /// Closes the port and all connections made before a browser was opened. Answers to requests that were already
    /// accepted are still sent.
    package func close() {
        channel.close(promise: nil)
        owner.settle(nil)
    }
}
