// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import NIOCore

/// Determines the user at the other end of a loopback connection, as reported by the kernel (sock_diag(7)).
enum LoopbackPeer {
    /// Returns the user of the process that connected; nil if the connection has already ended, so that the kernel
    /// reports no user.
    ///
    /// The call is one system call that returns immediately, so an event loop may make it.
    ///
    /// - Throws: ``LoopbackPeerError`` if the kernel does not answer.
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

/// The kernel does not report which user connects to a loopback port.
package struct LoopbackPeerError: Error, Sendable, Equatable {
    package let errno: Int32
}
