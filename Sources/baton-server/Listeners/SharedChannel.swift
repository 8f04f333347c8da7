// SPDX-License-Identifier: Apache-2.0
internal import HummingbirdCore
internal import IdentityPlatform
internal import Logging
internal import NIOCore
internal import ProxyProtocol

/// Accepts a connection only if the client's address has a place left. If the connection comes from a load balancer,
/// decides this as soon as the load balancer's header has been read; otherwise, before anything is read from the
/// connection.
struct SharedChannel<Base: ServerChildChannel>: ServerChildChannel {
    /// A connection and its client.
    struct Value: ServerChildChannelValue {
        let base: Base.Value
        let client: ForwardedClient

        var channel: any Channel { base.channel }
    }

    /// The address has used up its share. This is reported only in the log.
    private struct Refused: Error {}

    let base: Base
    let shares: ConnectionShares
    let proxies: TrustedProxies

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let client = ForwardedClient()
        let isProxy = proxies.contains(channel.remoteAddress)
        let peer = PeerAddress(channel.remoteAddress)
        if !isProxy { client.set(peer) }
        guard isProxy || enter(peer, channel) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(Refused())
        }
        let handler = ProxyHeaderHandler(isExpected: isProxy, proxies) { header in
            let address = PeerAddress(header.client?.socketAddress ?? channel.remoteAddress)
            client.set(address)
            return enter(address, channel)
        }
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return base.setup(channel: channel, logger: logger).map { Value(base: $0, client: client) }
    }

    func handle(value: Value, logger: Logger) async {
        await ForwardedClient.$current.withValue(value.client) { await base.handle(value: value.base, logger: logger) }
    }

    /// Takes a place for the connection until it ends; returns false if there is none.
    private func enter(_ peer: PeerAddress, _ channel: any Channel) -> Bool {
        guard shares.enter(peer) else { return false }
        channel.closeFuture.whenComplete { [shares] _ in shares.leave(peer) }
        return true
    }
}

extension ProxyHeader.Client {
    /// The address as SwiftNIO represents it; nil if it is not an address.
    fileprivate var socketAddress: SocketAddress? {
        try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address), port: Int(port))
    }
}
