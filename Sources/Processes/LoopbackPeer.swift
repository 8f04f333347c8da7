// SPDX-License-Identifier: Apache-2.0
internal import CLinux
package import Glibc

/// Asks the kernel who owns the other end of a loopback connection (sock_diag(7)).
package enum LoopbackPeer {
    /// The socket at the other end of a connection.
    package struct End: Sendable, Equatable {
        /// The user of the process that connected.
        package let user: UInt32
        package let inode: UInt32
    }

    /// Returns the socket of the process that connected; nil if the connection has already ended and the kernel
    /// therefore reports none. Returns ``LoopbackPeerError`` if the kernel does not answer.
    ///
    /// The call is one system call that returns immediately, so an event loop may make it.
    ///
    /// - Parameters:
    ///   - peer: the address of the process that connected.
    ///   - local: the address that it connected to.
    package static func end(
        from peer: UnsafePointer<sockaddr>, to local: UnsafePointer<sockaddr>
    ) -> Result<End?, LoopbackPeerError> {
        var (user, inode): (uid_t, UInt32) = (0, 0)
        let outcome = unsafe clinux_tcp_owner(peer, local, &user, &inode)
        guard outcome != -ENOENT else { return .success(nil) }
        guard outcome == 0 else { return .failure(LoopbackPeerError(errno: -outcome)) }
        return .success(End(user: user, inode: inode))
    }

    /// Returns the user of the process that connected; nil or an error in the same cases as ``end(from:to:)``.
    package static func user(
        from peer: UnsafePointer<sockaddr>, to local: UnsafePointer<sockaddr>
    ) -> Result<UInt32?, LoopbackPeerError> {
        unsafe end(from: peer, to: local).map { $0?.user }
    }
}

/// The kernel did not report who opened a loopback connection.
package struct LoopbackPeerError: Error, Sendable, Equatable {
    package let errno: Int32
}
