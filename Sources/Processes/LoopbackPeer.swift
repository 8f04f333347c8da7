// SPDX-License-Identifier: Apache-2.0
internal import CLinux
package import Glibc

/// Asks the kernel which user owns the other end of a loopback connection (sock_diag(7)).
package enum LoopbackPeer {
    /// Returns the user of the process that connected; nil if the connection has already ended and the kernel therefore
    /// reports no user. Returns ``LoopbackPeerError`` if the kernel does not answer.
    ///
    /// The call is one system call that returns immediately, so an event loop may make it.
    ///
    /// - Parameters:
    ///   - peer: the address of the process that connected.
    ///   - local: the address that it connected to.
    package static func user(
        from peer: UnsafePointer<sockaddr>, to local: UnsafePointer<sockaddr>
    ) -> Result<UInt32?, LoopbackPeerError> {
        var user: uid_t = 0
        let outcome = unsafe clinux_tcp_owner(peer, local, &user)
        guard outcome != -ENOENT else { return .success(nil) }
        guard outcome == 0 else { return .failure(LoopbackPeerError(errno: -outcome)) }
        return .success(user)
    }
}

/// The kernel did not report which user opened a loopback connection.
package struct LoopbackPeerError: Error, Sendable, Equatable {
    package let errno: Int32
}
