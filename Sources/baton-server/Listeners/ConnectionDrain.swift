// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1

/// While the server drains, announces in each response that the connection will be closed, and closes it after the
/// response. The client's next request then uses a new connection, which a load balancer passes to another node.
///
/// A response that began before the drain is completed, and its connection stays open: the client may already have sent
/// its next request.
final class ConnectionDrain: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let readiness: Readiness
    private var isAnnounced = false

    init(_ readiness: Readiness) { self.readiness = readiness }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch Self.unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200 && readiness.isDraining:
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            isAnnounced = true
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .end where isAnnounced:
            context.writeAndFlush(data, promise: promise)
            context.close(promise: nil)
        case .head, .body, .end: context.write(data, promise: promise)
        }
    }
}
