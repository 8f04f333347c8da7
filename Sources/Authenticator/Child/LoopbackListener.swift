// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import OAuth
internal import Redaction
internal import Synchronization

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
    /// - Parameters:
    ///   - state: what the answer must bring back; another answer is refused, and the attempt goes on.
    ///   - authorizeURL: gives the identity platform's address for a redirect URI.
    static func open(state: String, authorizeURL: @escaping @Sendable (_ redirectURI: String) -> String) async throws
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
                        LoopbackHandler(
                            attempt: LoopbackAttempt(word: word, state: state), authorizeURL: authorizeURL,
                            answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return LoopbackListener(channel: channel, port: port, word: word, answer: answer)
    }

    /// Closes the port.
    func close() { channel.close(promise: nil) }
}

/// What only the browser of one attempt knows.
private final class LoopbackAttempt: Sendable {
    private let word: Mutex<String?>
    private let state: [UInt8]

    init(word: String, state: String) {
        self.word = Mutex(word)
        self.state = Array(state.utf8)
    }

    /// Whether `path` is the address that the browser was given; it is good once, since others can read a command line.
    func begins(with path: Substring) -> Bool {
        word.withLock { word in
            guard let known = word, equalInConstantTime(Array(path.utf8), Array("/\(known)".utf8)) else { return false }
            word = nil
            return true
        }
    }

    /// The parameters of an answer that brings the attempt's state back; nil for anybody else's.
    func answer(_ query: Substring) -> FormParameters? {
        guard let fields = try? FormParameters(parsing: Array(query.utf8)), let state = fields[ParameterName.state],
            equalInConstantTime(Array(state.utf8), self.state)
        else { return nil }
        return fields
    }
}

/// Serves the two addresses of an attempt and nothing else.
private final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let attempt: LoopbackAttempt
    private let authorizeURL: @Sendable (String) -> String
    private let answer: Promise<FormParameters>
    private var head: HTTPRequestHead?

    init(
        attempt: LoopbackAttempt, authorizeURL: @escaping @Sendable (String) -> String, answer: Promise<FormParameters>
    ) {
        self.attempt = attempt
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
        if attempt.begins(with: parts[0]) {
            send(.found, LoopbackPage.onTheWay, location: authorizeURL("http://127.0.0.1:\(port)"), context: context)
        } else if parts[0] == "/", parts.count == 2, let fields = attempt.answer(parts[1]) {
            send(
                .ok, fields[ParameterName.error] == nil ? LoopbackPage.done : LoopbackPage.refused, context: context)
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
