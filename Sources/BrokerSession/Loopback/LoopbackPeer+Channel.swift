// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import NIOCore
internal import Processes

extension LoopbackPeer {
    /// Returns the user at the other end of a channel; nil if the connection has already ended.
    ///
    /// - Throws: ``LoopbackPeerError`` if the kernel does not answer.
    static func user(of channel: any Channel) throws(LoopbackPeerError) -> UInt32? {
        guard let peer = channel.remoteAddress, let local = channel.localAddress else { return nil }
        let answer = unsafe peer.withSockAddr { peer, _ in
            unsafe local.withSockAddr { local, _ in unsafe user(from: peer, to: local) }
        }
        return try answer.get()
    }
}
