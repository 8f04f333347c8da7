// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1

/// Refuses requests whose head is ambiguous: no or several Host fields, or a transfer coding other than `chunked` alone
/// (RFC 9112 sections 3.2 and 6.1). If such a request is the first on its connection, the server sends 400 and closes
/// the connection; otherwise it only closes the connection.
///
/// If the target has an authority, it replaces the Host field (RFC 9112 section 3.2.2). A later handler removes the
/// authority from the target.
///
/// The HTTP decoder has already refused the other ambiguities: a length together with a coding, several lengths,
/// folded fields.
final class HeadCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let refusal: MalformedRequests.Refusal
    private var isRefused = false
    private var hasPassed = false

    init(_ refusal: MalformedRequests.Refusal) { self.refusal = refusal }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        guard case .head(var head) = Self.unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard Self.isPlain(head) else {
            isRefused = true
            return refuse(context)
        }
        hasPassed = true
        if let authority = Self.authority(of: head.uri) { head.headers.replaceOrAdd(name: "Host", value: authority) }
        context.fireChannelRead(Self.wrapInboundOut(.head(head)))
    }

    /// Returns the authority of a target in the absolute form; nil for any other target.
    private static func authority(of target: String) -> String? {
        guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return nil }
        return String(target[scheme.upperBound...].prefix { !"/?#".contains($0) })
    }

    private static func isPlain(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["Host"]
        let codings = head.headers["Transfer-Encoding"]
        return hosts.count == 1 && !hosts[0].contains(",")
            && (codings.isEmpty || codings.map { $0.lowercased() } == ["chunked"])
    }

    private func refuse(_ context: ChannelHandlerContext) {
        if !hasPassed {
            context.write(Self.wrapOutboundOut(.head(refusal.head)), promise: nil)
            if refusal.body.readableBytes > 0 {
                context.write(Self.wrapOutboundOut(.body(.byteBuffer(refusal.body))), promise: nil)
            }
            context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
        }
        context.close(promise: nil)
    }

    /// Inserts the check directly after the decoder, where the heads of requests are still unchanged. Later handlers
    /// see only one host and no framing fields. The handlers of unread bodies and of the connection's end, and those of its
    /// deadlines, of its idle time and of draining, if there are any, come before the check.
    final class Installer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = NIOAny

        private let refusal: MalformedRequests.Refusal
        private let limits: ConnectionDeadlines.Limits?
        private let draining: Readiness?
        private let idle: IdleConnections?

        init(
            _ limits: ConnectionDeadlines.Limits? = nil, draining: Readiness? = nil, idle: IdleConnections? = nil,
            refusal: MalformedRequests.Refusal = .empty
        ) {
            self.refusal = refusal
            (self.limits, self.draining, self.idle) = (limits, draining, idle)
        }

        func handlerAdded(context: ChannelHandlerContext) {
            do {
                let operations = context.pipeline.syncOperations
                let decoder = try operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try operations.addHandler(HeadCheck(refusal), position: .after(decoder))
                if refusal.body.readableBytes > 0 {
                    try operations.addHandler(MalformedRequests(refusal), position: .after(decoder))
                }
                try operations.addHandler(UnreadBodies(), position: .after(decoder))
                if let draining { try operations.addHandler(ConnectionDrain(draining), position: .after(decoder)) }
                if let idle { try operations.addHandler(IdleConnections.Handler(idle), position: .after(decoder)) }
                if let limits { try operations.addHandler(ConnectionDeadlines(limits), position: .after(decoder)) }
                // All handlers that close the connection come after this one.
                try operations.addHandler(ConnectionEnd(), position: .after(decoder))
            } catch {
                // Without the check, nothing may be served.
                context.close(promise: nil)
            }
        }
    }
}
