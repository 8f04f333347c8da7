// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import OAuth
internal import Processes
internal import Redaction

/// Serves one connection to a ``LoopbackRedirect``: one request and one answer.
///
/// Any process of the machine can connect. Requests are read only from connections that, according to the kernel,
/// belong to this process's own user: the command line of the browser shows the state to other users. Pages of other
/// sites, which that user's browser may have open, do not know the state.
final class LoopbackRedirectConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let state: String
    private let arrived: @Sendable (FormParameters) -> Void
    private var isAnswered = false

    /// The time limit of the connection.
    private static let patience = TimeAmount.seconds(10)
    private static let maximumQuery = 16 << 10

    /// - Parameter arrived: called with an answer that has the state, once the browser has got its page.
    init(state: String, arrived: @escaping @Sendable (FormParameters) -> Void) {
        (self.state, self.arrived) = (state, arrived)
    }

    func channelActive(context: ChannelHandlerContext) {
        guard Self.isOwn(context.channel) else { return context.close(promise: nil) }
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        context.fireChannelActive()
    }

    /// Whether this process's own user is at the other end.
    private static func isOwn(_ channel: any Channel) -> Bool {
        guard let peer = channel.remoteAddress, let local = channel.localAddress else { return false }
        let answer = unsafe peer.withSockAddr { peer, _ in
            unsafe local.withSockAddr { local, _ in unsafe LoopbackPeer.user(from: peer, to: local) }
        }
        return (try? answer.get()) == geteuid()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data), !isAnswered, context.channel.isActive else { return }
        isAnswered = true
        let answer = answer(in: head, at: context.channel.localAddress?.port ?? 0)
        send(answer == nil ? .unknown : .done, context) { [arrived] in
            if let answer { arrived(answer) }
        }
    }

    /// Returns the answer of the authorization server; nil if the request is another one.
    private func answer(in head: HTTPRequestHead, at port: Int) -> FormParameters? {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // Another host name comes from a page of another site that tries to reach this port (DNS rebinding).
        guard head.method == .GET, head.headers["Host"] == ["127.0.0.1:\(port)"], parts.count == 2, parts[0] == "/",
            let answer = try? FormParameters(parsing: parts[1].utf8, byteLimit: Self.maximumQuery),
            equalInConstantTime(Array((answer[ParameterName.state] ?? "").utf8), Array(state.utf8))
        else { return nil }
        return answer
    }

    private func send(
        _ page: RedirectPage, _ context: ChannelHandlerContext, then done: @escaping @Sendable () -> Void
    ) {
        let text = page.text
        var headers = HTTPHeaders(RedirectPage.headers)
        headers.add(name: "Content-Length", value: String(text.utf8.count))
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: page.status, headers: headers))),
            promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            channel.close(promise: nil)
            done()
        }
    }
}
