// SPDX-License-Identifier: Apache-2.0
internal import NIOCore

/// Lets a TLS connection that the server closes end as soon as the client has answered.
///
/// The server has Hummingbird's option that clients may half-close a connection. While this option is set, NIOSSL does
/// not act on the client's own end of TLS or TCP, and such a connection stays until `TLSConfiguration.shutdownTimeout`
/// is over, whatever the client does. Once the server closes the whole connection, the option has no use.
final class ConnectionEnd: ChannelOutboundHandler {
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .all {
            do {
                try context.channel.syncOptions?.setOption(ChannelOptions.allowRemoteHalfClosure, value: false)
            } catch {
                // The connection is closed already.
            }
        }
        context.close(mode: mode, promise: promise)
    }
}
