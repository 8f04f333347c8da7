// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1

/// Lets the server close a connection properly: only after every complete response has been sent, and as soon as the
/// client has answered the end of TLS.
///
/// A channel that is closed drops the data that it has not sent. If the client reads slowly, the dropped data can be
/// the end of a response, so a close waits until the complete responses have been sent. A close in the middle of a
/// response does not wait. To close a connection because the client does not read, trigger ``Cut`` instead.
///
/// The server sets Hummingbird's option that allows clients to half-close a connection. While this option is set,
/// NIOSSL does not act on the client's own end of TLS or TCP: whatever the client does, the connection stays open until
/// `TLSConfiguration.shutdownTimeout` is over. When the server closes the whole connection, the option is no longer
/// needed.
final class ConnectionEnd: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// An event that closes the connection at once.
    struct Cut: Sendable {}

    /// The number of responses that are complete but not yet sent.
    private var unsent = 0
    /// The promise of a close that waits for these responses; nil if no close waits.
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
        // The server is stopping, and has waited long enough.
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
