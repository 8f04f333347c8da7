// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// The identity of a connected process, as the kernel recorded it when it connected (`SO_PEERCRED`, unix(7)).
///
/// The pid is only a label: the process may exec another program, or end and have its pid reused.
package struct Peer: Sendable, Equatable {
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32

    package init(pid: Int32, uid: UInt32, gid: UInt32) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
    }
}

extension Descriptor {
    /// Reads the peer of a connected Unix socket.
    ///
    /// - Throws: ``SocketError`` if the descriptor is not a connected Unix socket.
    package func peer() throws(SocketError) -> Peer {
        var credentials = clinux_peer()
        let outcome = withNumber { number in unsafe clinux_peer_credentials(number, &credentials) }
        guard outcome == 0 else { throw SocketError(call: .peerCredentials, errno: -outcome) }
        return Peer(pid: credentials.pid, uid: credentials.uid, gid: credentials.gid)
    }

    /// Whether the process that connected is alive, in which case its pid is still its own; nil if this kernel cannot
    /// tell.
    package func peerLives() -> Bool? {
        let pidfd = withNumber { clinux_peer_process($0) }
        // For a reaped process a new kernel returns an error; an old kernel does not support the option.
        guard pidfd >= 0 else { return pidfd == -ENOPROTOOPT ? nil : false }
        let process = Descriptor(owning: pidfd)
        let outcome = process.withNumber { clinux_pidfd_send_signal($0, 0) }
        return outcome != -ESRCH
    }
}
