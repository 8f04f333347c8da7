// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1
internal import OAuth
internal import Processes
internal import Redaction
internal import WebPages

/// Serves one connection of a ``LoopbackServer``: one request and one answer, then the connection ends.
///
/// Nothing is read or served until the kernel has confirmed that the browser's user is at the other end. The only
/// exception is data that is still unread when the other end closes its side: it may be read, but is then dropped.
final class LoopbackConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let attempt: LoopbackAttempt
    private let owner: LoopbackOwner
    private let limits: LoopbackServer.Limits
    private let admitted: LoopbackConnectionLimiter
    /// The place that the connection takes: at first among the connections whose user is not known yet, then among the
    /// admitted connections.
    private var place: LoopbackConnectionLimiter.Place?
    private let unable: @Sendable (LoopbackPeerError) -> Void
    /// The language of all pages; nil for the language that the request prefers.
    private let language: Language?
    private let serve: LoopbackHandler

    /// Whether the browser's user is at the other end.
    private var isAdmitted = false
    private var deadline: Scheduled<Void>?
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(
        attempt: LoopbackAttempt, owner: LoopbackOwner, limits: LoopbackServer.Limits,
        unjudged: LoopbackConnectionLimiter.Place, admitted: LoopbackConnectionLimiter,
        unable: @escaping @Sendable (LoopbackPeerError) -> Void, language: Language?,
        serve: @escaping LoopbackHandler
    ) {
        (self.attempt, self.owner, self.limits) = (attempt, owner, limits)
        (place, self.admitted) = (unjudged, admitted)
        (self.unable, self.language, self.serve) = (unable, language, serve)
    }

    // MARK: - The peer

    func channelActive(context: ChannelHandlerContext) {
        expectProgress(context)
        let (loop, channel) = (context.eventLoop, context.channel)
        let bound = NIOLoopBound(self, eventLoop: loop)
        owner.tell(ObjectIdentifier(self)) { owner in
            loop.execute { bound.value.judge(channel, owner) }
        }
    }

    private func judge(_ channel: any Channel, _ owner: UInt32?) {
        place = nil
        guard let owner, channel.isActive, isOf(owner, channel), let place = admitted.take() else {
            return channel.close(promise: nil)
        }
        (self.place, isAdmitted) = (place, true)
        _ = channel.setOption(.autoRead, value: true)
    }

    private func isOf(_ owner: UInt32, _ channel: any Channel) -> Bool {
        do throws(LoopbackPeerError) { return try LoopbackPeer.user(of: channel) == owner } catch {
            unable(error)
            return false
        }
    }

    /// Closes the connection if the next step takes too long.
    private func expectProgress(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(limits.patience)) { channel.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        owner.leave(ObjectIdentifier(self))
        place = nil
        context.fireChannelInactive()
    }

    // MARK: - The request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isAdmitted else { return context.close(promise: nil) }
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Only one request is accepted: every answer ends its connection.
            guard self.head == nil else { return context.close(promise: nil) }
            self.head = head
        case .body(let buffer):
            guard head?.method == .POST, body.count + buffer.readableBytes <= limits.form else {
                wipe(&body)
                return context.close(promise: nil)
            }
            body += Array(buffer.readableBytesView)
        case .end:
            guard let head else { return }
            deadline?.cancel()
            respond(to: head, form: SecretBytes(consuming: &body), context)
        }
    }

    private func respond(to head: HTTPRequestHead, form: SecretBytes, _ context: ChannelHandlerContext) {
        let language = language ?? head.headers["Accept-Language"].first.flatMap(Language.preferred) ?? .english
        let own = "127.0.0.1:\(context.channel.localAddress?.port ?? 0)"
        // A request for a different host name comes from a page of another site that tries to reach this server (DNS
        // rebinding).
        guard head.headers["Host"] == [own] else { return send(.notFound(in: language), context) }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let caller = attempt.caller(path: parts[0], cookies: head.headers["Cookie"])
        let request: LoopbackRequest
        switch (head.method, caller) {
        case (_, .other): return send(.notFound(in: language), context)
        case (.GET, .newBrowser), (.GET, .sameBrowser(isStart: true)): request = .start
        case (.GET, .sameBrowser(isStart: false)):
            if let file = LoopbackFile(rawValue: String(parts[0])) { return send(LoopbackResponse(file), context) }
            request = .get(path: String(parts[0]), query: parts.count == 2 ? String(parts[1]) : nil)
        case (.POST, .sameBrowser):
            // A form from another site's page would carry that site's origin.
            guard head.headers["Origin"] == ["http://\(own)"] else { return send(.notFound(in: language), context) }
            request = .post(path: String(parts[0]), form: form)
        default: return send(.notFound(in: language), context)
        }
        answer(request, in: language, setsCookie: caller == .newBrowser, context)
    }

    /// Answers the request in a task outside this event loop.
    private func answer(
        _ request: LoopbackRequest, in language: Language, setsCookie: Bool, _ context: ChannelHandlerContext
    ) {
        let answered = context.eventLoop.makePromise(of: LoopbackResponse.self)
        let serve = serve
        Task { answered.succeed(await serve(request, language)) }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        answered.futureResult.assumeIsolated().whenSuccess { [self] response in
            send(response, setsCookie: setsCookie, bound.value)
        }
    }

    // MARK: - The answer

    private func send(_ response: LoopbackResponse, setsCookie: Bool = false, _ context: ChannelHandlerContext) {
        expectProgress(context)
        var headers = HTTPHeaders([
            ("Content-Type", response.mediaType), ("Content-Length", String(response.body.count)),
            ("Cache-Control", "no-store"), ("Connection", "close"), ("X-Content-Type-Options", "nosniff"),
        ])
        for (name, value) in response.headers { headers.add(name: name, value: value) }
        if setsCookie { headers.add(name: "Set-Cookie", value: attempt.setCookie) }
        let head = HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
