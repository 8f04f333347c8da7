// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1
internal import NIOTLS

/// Closes a connection if the client keeps the server waiting: for the TLS handshake, for the next request, for the
/// rest of a request, or for a response to be read. A response that has begun may take any time, as long as the client
/// reads it.
///
/// If the rest of a request does not arrive, the reader of its body gets an error with the status 408 before, so that it
/// can answer (RFC 9110 section 15.5.9).
final class ConnectionDeadlines: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The longest wait of each kind.
    struct Limits: Sendable {
        /// The time from the connection to the end of the handshake.
        let handshake: TimeAmount
        /// The maximum time of each of three waits: from a request's head until the request has ended and its response
        /// has begun; from the end of a response, or of the handshake, to the next request's head; from the moment when
        /// the send buffer is full until the client has read some of the data.
        let request: TimeAmount
    }

    private let limits: Limits
    /// Limits the wait for data from the client.
    private var deadline: Scheduled<Void>?
    /// Limits the wait for the client to read.
    private var stall: Scheduled<Void>?
    /// The number of requests whose responses have not ended.
    private var requests = 0
    private var isReading = false
    private var isAnswering = false

    init(_ limits: Limits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) { wait(limits.handshake, context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        stall?.cancel()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { wait(limits.request, context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head:
            if requests == 0 || deadline == nil { wait(limits.request, context) }
            requests += 1
            isReading = true
        case .body: break
        case .end:
            isReading = false
            goOn(context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch Self.unwrapOutboundIn(data) {
        case .head(let head) where head.status.code >= 200:
            isAnswering = true
            goOn(context)
        case .head, .body: break
        case .end:
            // A malformed head also gets a response, but was not counted as a request.
            requests = max(0, requests - 1)
            isAnswering = false
            // The deadline of a request that has already arrived starts now.
            if requests > 0 { wait(limits.request, context) } else { goOn(context) }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stall?.cancel()
        stall = context.channel.isWritable ? nil : Self.close(in: limits.request, context)
        context.fireChannelWritabilityChanged()
    }

    /// Restarts or cancels the deadline after a request or a response has progressed.
    private func goOn(_ context: ChannelHandlerContext) {
        guard !isReading else { return }
        if requests == 0 {
            wait(limits.request, context)
        } else if isAnswering {
            deadline?.cancel()
            deadline = nil
        }
    }

    private func wait(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: time) {
            let (handler, context) = bound.value
            handler.expire(context)
        }
    }

    /// Ends the wait for the client.
    private func expire(_ context: ChannelHandlerContext) {
        guard isReading, requests == 1, !isAnswering else {
            return context.triggerUserOutboundEvent(ConnectionEnd.Cut(), promise: nil)
        }
        deadline = Self.close(in: Self.patience, context)
        context.fireErrorCaught(HTTPError(.requestTimeout))
    }

    /// How long an answer to an unfinished request may take.
    private static let patience = TimeAmount.seconds(5)

    private static func close(in time: TimeAmount, _ context: ChannelHandlerContext) -> Scheduled<Void> {
        let channel = context.channel
        return context.eventLoop.scheduleTask(in: time) {
            channel.triggerUserOutboundEvent(ConnectionEnd.Cut(), promise: nil)
        }
    }
}
