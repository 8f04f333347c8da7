// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import OAuth
internal import Redaction

/// A web server on a loopback port that lives for one offline sign-in, or for one PIN: the page, and what the person types
/// into it.
package final class OfflineDoor: Sendable {
    /// What became of what the person typed.
    package enum Verdict: Sendable {
        /// The worker is known, or the PIN kept; the page says so.
        case known
        /// The person wants to set no PIN; the page says so.
        case declined
        /// The form comes once more.
        case again(OfflinePage.Notice)
    }

    /// What the browser opens.
    package let startURL: String
    private let channel: any Channel

    private init(channel: any Channel, startURL: String) { (self.channel, self.startURL) = (channel, startURL) }

    /// Listens on a free port.
    ///
    /// - Parameter judge: hears what was typed; one at a time.
    package static func open(
        _ purpose: OfflinePage.Purpose = .signIn(by: .password), notice: OfflinePage.Notice = .none,
        judge: @escaping @Sendable (OfflineAttempt.Typed) async -> Verdict
    ) async throws -> OfflineDoor {
        let word = ProofKey.verifier()
        let attempt = OfflineAttempt(start: word, purpose: purpose)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(
                        OfflineDoorHandler(attempt: attempt, notice: notice, judge: judge))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return OfflineDoor(channel: channel, startURL: "http://127.0.0.1:\(port)/\(word)")
    }

    /// Closes the port; answers that are on their way still go out.
    package func close() { channel.close(promise: nil) }
}

/// Serves one connection of the page.
private final class OfflineDoorHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let attempt: OfflineAttempt
    private let notice: OfflinePage.Notice
    private let judge: @Sendable (OfflineAttempt.Typed) async -> OfflineDoor.Verdict
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    /// Bytes of a form; a user name and a password have 256 each, of up to three characters.
    private static let limit = 8 << 10

    init(
        attempt: OfflineAttempt, notice: OfflinePage.Notice,
        judge: @escaping @Sendable (OfflineAttempt.Typed) async -> OfflineDoor.Verdict
    ) {
        (self.attempt, self.notice, self.judge) = (attempt, notice, judge)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, [])
        case .body(let buffer):
            guard body.count + buffer.readableBytes <= Self.limit else { return context.close(promise: nil) }
            body += Array(buffer.readableBytesView)
        case .end:
            guard let head else { return }
            defer {
                self.head = nil
                wipe(&body)
                body = []
            }
            respond(to: head, context: context)
        }
    }

    private func respond(to head: HTTPRequestHead, context: ChannelHandlerContext) {
        let own = "127.0.0.1:\(context.channel.localAddress?.port ?? 0)"
        // Another name for this address is a page of somebody else's that wants in (DNS rebinding).
        guard head.headers.first(name: "Host") == own else { return refuse(context) }
        let path = Substring(head.uri)
        switch head.method {
        case .GET where attempt.begins(with: path): form(notice, context)
        case .POST where attempt.isAction(path):
            // A form of another site's page would come with that site's origin.
            guard head.headers["Origin"] == ["http://\(own)"], let typed = attempt.take(body) else {
                return refuse(context)
            }
            answer(typed, context)
        default: refuse(context)
        }
    }

    /// Has the attempt judged away from this loop, and answers when that is done.
    private func answer(_ typed: OfflineAttempt.Typed, _ context: ChannelHandlerContext) {
        let judged = context.eventLoop.makePromise(of: OfflineDoor.Verdict.self)
        let judge = judge
        Task { judged.succeed(await judge(typed)) }
        judged.futureResult.assumeIsolated().whenSuccess { [self] verdict in
            let nonce = ProofKey.verifier()
            switch verdict {
            case .known: send(.ok, OfflinePage.done(attempt.purpose, nonce: nonce), nonce: nonce, context)
            case .declined: send(.ok, OfflinePage.declined(nonce: nonce), nonce: nonce, context)
            case .again(let notice): form(notice, context)
            }
        }
    }

    private func form(_ notice: OfflinePage.Notice, _ context: ChannelHandlerContext) {
        let (form, nonce) = (attempt.newForm(), ProofKey.verifier())
        send(
            .ok,
            OfflinePage.form(
                attempt.purpose, action: form.action, token: form.token, nonce: nonce, notice: notice),
            nonce: nonce, context)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        let nonce = ProofKey.verifier()
        send(
            .notFound, OfflinePage.text(nonce: nonce, title: "Nothing here", "This address is not part of a sign-in."),
            nonce: nonce, context)
    }

    private func send(_ status: HTTPResponseStatus, _ page: String, nonce: String, _ context: ChannelHandlerContext) {
        let headers = HTTPHeaders([
            ("Content-Type", "text/html; charset=utf-8"), ("Content-Length", String(page.utf8.count)),
            ("Cache-Control", "no-store"), ("Connection", "close"), ("X-Content-Type-Options", "nosniff"),
            // With no referrer at all a browser would send no origin, by which the form is known.
            ("Referrer-Policy", "same-origin"),
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'nonce-\(nonce)'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
            ),
        ])
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: page)))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
