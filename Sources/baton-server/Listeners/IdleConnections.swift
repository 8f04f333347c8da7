// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Keeps places free on a listener that has few of them: if only ``reserve`` places are left, closes the connection
/// that has waited longest for a request. Otherwise, any user of the machine could take all places of a listener on
/// loopback with connections that send nothing, and a load balancer would get no answer to its health check.
final class IdleConnections: Sendable {
    private struct State {
        var open = 0
        /// The connections without a request, the one that has waited longest first.
        var idle: [any Channel] = []
    }

    /// The number of places that are kept free for new connections.
    static let reserve = 8

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the listener's number of places.
    init(limit: Int) { self.limit = limit }

    /// Counts a new connection, which waits for its first request.
    fileprivate func open(_ channel: any Channel) {
        let oldest = state.withLock { state -> (any Channel)? in
            state.open += 1
            state.idle.append(channel)
            return state.open > limit - Self.reserve && state.idle.count > 1 ? state.idle.removeFirst() : nil
        }
        oldest?.triggerUserOutboundEvent(ConnectionEnd.Cut(), promise: nil)
    }

    fileprivate func close(_ channel: any Channel) {
        state.withLock { state in
            state.open -= 1
            state.idle.removeAll { $0 === channel }
        }
    }

    fileprivate func begin(_ channel: any Channel) {
        state.withLock { $0.idle.removeAll { $0 === channel } }
    }

    fileprivate func wait(_ channel: any Channel) { state.withLock { $0.idle.append(channel) } }

    /// Reports the requests of one connection.
    final class Handler: ChannelDuplexHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias InboundOut = HTTPServerRequestPart
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = HTTPServerResponsePart

        private let connections: IdleConnections

        init(_ connections: IdleConnections) { self.connections = connections }

        func handlerAdded(context: ChannelHandlerContext) { connections.open(context.channel) }

        func handlerRemoved(context: ChannelHandlerContext) { connections.close(context.channel) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .head = Self.unwrapInboundIn(data) { connections.begin(context.channel) }
            context.fireChannelRead(data)
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .end = Self.unwrapOutboundIn(data) { connections.wait(context.channel) }
            context.write(data, promise: promise)
        }
    }
}
