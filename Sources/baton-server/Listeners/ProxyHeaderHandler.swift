// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import ProxyProtocol

/// Reads the header that a load balancer sends before the client's own bytes, which begin a TLS handshake. Closes the
/// connection if a load balancer sends no valid header in time, or if any other address sends a header.
final class ProxyHeaderHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum State {
        /// A load balancer's header has arrived in part.
        case reading(ByteBuffer)
        /// The address must not send a header. No byte has arrived yet.
        case checking
        case passing
        case refused
    }

    private let proxies: TrustedProxies
    /// Returns whether the client that the header names may connect.
    private let accept: (ProxyHeader) -> Bool
    private var state: State
    private var deadline: Scheduled<Void>?

    /// - Parameter isExpected: whether the connection comes from a load balancer.
    init(isExpected: Bool, _ proxies: TrustedProxies, accept: @escaping (ProxyHeader) -> Bool) {
        (self.proxies, self.accept) = (proxies, accept)
        state = isExpected ? .reading(ByteBuffer()) : .checking
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard case .reading = state else { return }
        let (channel, proxies) = (context.channel, proxies)
        deadline = context.eventLoop.scheduleTask(in: TrustedProxies.patience) {
            proxies.count(.late)
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .passing: context.fireChannelRead(data)
        case .refused: break
        case .checking: check(Self.unwrapInboundIn(data), context)
        case .reading(var received):
            // Frees the buffer's other reference, so that appending does not copy.
            state = .refused
            received.writeImmutableBuffer(Self.unwrapInboundIn(data))
            read(received, context)
        }
    }

    /// Passes the first bytes on, unless they begin a header of version 1 or 2. No TLS record begins with these bytes.
    private func check(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        if let first = bytes.readableBytesView.first, [UInt8(ascii: "\r"), UInt8(ascii: "P")].contains(first) {
            return refuse(.untrusted, context)
        }
        state = .passing
        context.fireChannelRead(Self.wrapInboundOut(bytes))
    }

    private func read(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        var bytes = bytes
        let header: ProxyHeader
        do throws(ProxyHeader.Refusal) {
            guard let complete = try ProxyHeader.read(bytes.readableBytesView) else {
                state = .reading(bytes)
                return
            }
            header = complete
        } catch {
            return refuse(error == .signature ? .missing : .invalid, context)
        }
        deadline?.cancel()
        guard accept(header) else {
            context.close(promise: nil)
            return
        }
        state = .passing
        bytes.moveReaderIndex(forwardBy: header.length)
        if bytes.readableBytes > 0 { context.fireChannelRead(Self.wrapInboundOut(bytes)) }
    }

    private func refuse(_ refusal: TrustedProxies.Refusal, _ context: ChannelHandlerContext) {
        state = .refused
        deadline?.cancel()
        proxies.count(refusal)
        context.close(promise: nil)
    }
}
