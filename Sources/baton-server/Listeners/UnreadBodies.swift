// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1

/// Closes a connection soon after a refusal if the request's body has not ended. Without this, a client could send a body
/// that nobody wants until the deadline of the request, and the server would receive all of it.
///
/// What arrives after the refusal is dropped, and so is a further answer: the HTTP library answers a malformed body with
/// 400, even if the request has been refused already. A client that sends its whole body before it reads the answer can still do
/// so if the body is not much longer than the server accepts.
final class UnreadBodies: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// How long the client may still send after the answer.
    private static let patience = TimeAmount.seconds(2)
    /// How many bytes the client may still send.
    private static let allowance = 4 << 20

    private var isReading = false
    /// The number of requests that are not answered completely. The last one may still be arriving.
    private var pending = 0
    private var isRefused = false
    private var isAnswered = false
    private var dropped = 0
    private var end: Scheduled<Void>?

    func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = Self.unwrapInboundIn(data)
        switch part {
        case .head:
            isReading = true
            pending += 1
        case .body: break
        case .end: isReading = false
        }
        guard isRefused else { return context.fireChannelRead(data) }
        if case .body(let bytes) = part { dropped += bytes.readableBytes }
        if isAnswered, !isReading || dropped > Self.allowance { close(context) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // The promise succeeds: the connection ends as if this answer had been sent.
        guard !isAnswered else {
            promise?.succeed()
            return
        }
        switch Self.unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 400 && isReading && pending == 1:
            isRefused = true
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .end where isRefused:
            isAnswered = true
            context.write(data, promise: promise)
            let channel = context.channel
            guard isReading, dropped <= Self.allowance else { return close(context) }
            end = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        case .end:
            pending = max(0, pending - 1)
            context.write(data, promise: promise)
        case .head, .body: context.write(data, promise: promise)
        }
    }

    private func close(_ context: ChannelHandlerContext) {
        do {
            // The connection waits a moment for the client's end of TLS. It should not receive more bytes meanwhile.
            if isReading { try context.channel.syncOptions?.setOption(ChannelOptions.autoRead, value: false) }
        } catch {
            // The connection is closed already.
        }
        context.close(promise: nil)
    }
}
