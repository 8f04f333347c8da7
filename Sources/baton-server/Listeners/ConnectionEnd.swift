// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1

/// Lets a connection that the server closes end properly: when the client has been sent the responses that are complete,
/// and as soon as it has answered the end of TLS.
///
/// A channel that is closed drops what it has not sent. While a client reads slowly, that can be the end of a response,
/// so a close waits until the responses are sent. A close in the middle of a response does not wait. Whoever closes a
/// connection because the client does not read triggers ``Cut`` instead.
///
/// The server has Hummingbird's option that clients may half-close a connection. While this option is set, NIOSSL does
/// not act on the client's own end of TLS or TCP, and such a connection stays until `TLSConfiguration.shutdownTimeout`
/// is over, whatever the client does. Once the server closes the whole connection, the option has no use.
final class ConnectionEnd: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// An event that closes the connection at once.
    struct Cut: Sendable {}

    /// The number of responses that are complete, and not sent.
    private var unsent = 0
    /// The close that waits for them; its promise is the callers'.
    private var waiting: EventLoopPromise<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = Self.unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        let sent = promise ?? context.eventLoop.makePromise()
        unsent += 1
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in
            unsent -= 1
            if unsent == 0, waiting != nil { close(context) }
        }
        context.write(data, promise: sent)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .output: context.close(mode: mode, promise: promise)
        // The server's own stop has waited long enough.
        case .input where waiting != nil: close(context, promise)
        case .input: context.close(mode: mode, promise: promise)
        case .all where unsent == 0: close(context, promise)
        case .all:
            let waiting = waiting ?? context.eventLoop.makePromise()
            waiting.futureResult.cascade(to: promise)
            self.waiting = waiting
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is Cut else { return context.triggerUserOutboundEvent(event, promise: promise) }
        close(context, promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) { waiting?.succeed() }

    private func close(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>? = nil) {
        do {
            try context.channel.syncOptions?.setOption(ChannelOptions.allowRemoteHalfClosure, value: false)
        } catch {
            // The connection is closed already.
        }
        waiting?.futureResult.cascade(to: promise)
        let closed = waiting ?? promise
        waiting = nil
        context.close(mode: .all, promise: closed)
    }
}
