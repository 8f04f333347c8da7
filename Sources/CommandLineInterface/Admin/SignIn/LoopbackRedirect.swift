// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import OAuth

/// The redirect URI of one sign-in: a port of this machine that takes the answer of the authorization server from the
/// person's browser (RFC 8252 section 7.3).
final class LoopbackRedirect: Sendable {
    /// The redirect URI. The authorization server allows any port (RFC 8252 section 7.3).
    let uri: String
    private let listener: any Channel
    private let answers: AsyncStream<FormParameters>

    /// How many connections may wait until they are accepted.
    private static let backlog: Int32 = 16

    /// Begins to listen.
    ///
    /// - Parameter state: the state of the authorization request, which identifies the answer.
    /// - Throws: ``CommandFailure`` if this machine has no port left.
    init(state: String) async throws {
        let (answers, arrived) = AsyncStream.makeStream(of: FormParameters.self)
        self.answers = answers
        do {
            listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: Self.backlog)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                        let handler = LoopbackRedirectConnection(state: state) { arrived.yield($0) }
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
        } catch {
            throw CommandFailure(
                code: "loopback_unavailable", message: "No port of 127.0.0.1 can be opened for the browser's answer.",
                remedy: "Sign in with --device-code.")
        }
        uri = "http://127.0.0.1:\(listener.localAddress?.port ?? 0)"
    }

    deinit { listener.close(promise: nil) }

    /// Waits for the answer with the state.
    ///
    /// - Throws: `CancellationError`.
    func answer() async throws -> FormParameters {
        for await answer in answers { return answer }
        throw CancellationError()
    }
}
