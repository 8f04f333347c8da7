// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import OAuth

/// The device's end of a sign-in in the browser: a web server on a loopback port that lives for one attempt
/// (RFC 8252 section 7.3).
///
/// The browser begins at an address that holds nothing but a random word, so that neither the agent nor the process
/// list learns who is signing in; the server sends it on to the identity platform, and takes the answer back.
final class LoopbackListener: Sendable {
    /// Where the identity platform sends the answer.
    let redirectURI: String
    /// What the browser opens.
    let startURL: String
    /// The parameters that came back.
    let answer: Promise<FormParameters>
    private let channel: any Channel

    private init(channel: any Channel, port: Int, word: String, answer: Promise<FormParameters>) {
        self.channel = channel
        redirectURI = "http://127.0.0.1:\(port)"
        startURL = "http://127.0.0.1:\(port)/\(word)"
        self.answer = answer
    }

    /// Listens on a free port.
    ///
    /// - Parameter authorizeURL: gives the identity platform's address for a redirect URI.
    static func open(authorizeURL: @escaping @Sendable (_ redirectURI: String) -> String) async throws
        -> LoopbackListener
    {
        let answer = Promise<FormParameters>()
        let word = ProofKey.verifier()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(
                        LoopbackHandler(word: word, authorizeURL: authorizeURL, answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return LoopbackListener(channel: channel, port: port, word: word, answer: answer)
    }

    /// Closes the port.
    func close() { channel.close(promise: nil) }
}

/// Serves the two addresses of an attempt and nothing else.
private final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let word: String
    private let authorizeURL: @Sendable (String) -> String
    private let answer: Promise<FormParameters>
    private var head: HTTPRequestHead?

    init(word: String, authorizeURL: @escaping @Sendable (String) -> String, answer: Promise<FormParameters>) {
        self.word = word
        self.authorizeURL = authorizeURL
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            respond(to: head, context: context)
        }
    }

    private func respond(to head: HTTPRequestHead, context: ChannelHandlerContext) {
        let port = context.channel.localAddress?.port ?? 0
        // Another name for this address is a page of somebody else's that wants in (DNS rebinding).
        guard head.method == .GET, head.headers.first(name: "Host") == "127.0.0.1:\(port)" else {
            send(.badRequest, LoopbackPage.unknown, context: context)
            return
        }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.first.map(String.init) == "/" + word {
            send(.found, LoopbackPage.onTheWay, location: authorizeURL("http://127.0.0.1:\(port)"), context: context)
        } else if parts.first == "/", parts.count == 2, let fields = try? FormParameters(parsing: Array(parts[1].utf8))
        {
            send(.ok, fields[ParameterName.error] == nil ? LoopbackPage.done : LoopbackPage.refused, context: context)
            answer.settle(.success(fields))
        } else {
            send(.notFound, LoopbackPage.unknown, context: context)
        }
    }

    private func send(
        _ status: HTTPResponseStatus, _ page: String, location: String? = nil, context: ChannelHandlerContext
    ) {
        var headers = HTTPHeaders([
            ("Content-Type", "text/html; charset=utf-8"), ("Content-Length", String(page.utf8.count)),
            ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"), ("Connection", "close"),
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
        ])
        if let location { headers.add(name: "Location", value: location) }
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: page)))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
