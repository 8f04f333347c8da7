// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// The process that connected, held by a pidfd, which never refers to another process.
package struct PeerProcess: Sendable {
    package let pid: Int32
    private let pidfd: Descriptor

    fileprivate init(pid: Int32, pidfd: Descriptor) {
        self.pid = pid
        self.pidfd = pidfd
    }

    /// Whether the process has ended, even if another process now holds its connection.
    package var hasEnded: Bool {
        var question = pollfd(fd: -1, events: Int16(POLLIN), revents: 0)
        var outcome: Int32
        repeat {
            outcome = pidfd.withNumber { number in
                question.fd = number
                return unsafe poll(&question, 1, 0)
            }
        } while outcome < 0 && errno == EINTR
        return outcome > 0
    }
}

extension Descriptor {
    /// Returns the process that connected, by `SO_PEERPIDFD`.
    ///
    /// Kernels before 6.5 do not support that option. On such kernels the pid recorded at connect time is used. It can
    /// belong to another process only if the peer, and with it the connection, has ended.
    ///
    /// - Throws: ``SocketError`` if the process has ended or the descriptor is not a connected Unix socket.
    package func peerProcess() throws(SocketError) -> PeerProcess {
        let pid = try peer().pid
        var number = withNumber { clinux_peer_process($0) }
        if number == -ENOPROTOOPT { number = clinux_pidfd_open(pid) }
        guard number >= 0 else { throw SocketError(call: .peerCredentials, errno: -number) }
        return PeerProcess(pid: pid, pidfd: Descriptor(owning: number))
    }
}
