// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import NIOCore

/// Whose socket is at the other end of a loopback connection, as the kernel reports it (sock_diag(7)).
enum LoopbackPeer {
    /// The user of the process that connected; nil where the connection is gone already, for which the kernel names nobody.
    ///
    /// It takes one system call that the kernel answers at once, so that an event loop may ask.
    ///
    /// - Throws: ``LoopbackPeerError`` where the kernel does not answer.
    static func user(of channel: any Channel) throws(LoopbackPeerError) -> UInt32? {
        guard let peer = channel.remoteAddress, let local = channel.localAddress else { return nil }
        var user: uid_t = 0
        let outcome = unsafe peer.withSockAddr { peer, _ in
            unsafe local.withSockAddr { local, _ in unsafe clinux_tcp_owner(peer, local, &user) }
        }
        guard outcome != -ENOENT else { return nil }
        guard outcome == 0 else { throw LoopbackPeerError(errno: -outcome) }
        return user
    }
}

/// The kernel does not say who connects to a loopback port.
package struct LoopbackPeerError: Error, Sendable, Equatable {
    package let errno: Int32
}
