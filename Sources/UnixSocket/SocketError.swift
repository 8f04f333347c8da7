// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A failed system call on a local socket, with the kernel's reason.
package struct SocketError: Error, Equatable, CustomStringConvertible {
    /// The calls that can fail.
    package enum Call: String, Sendable {
        case accept, connect, duplicate, inherit, listen, notify, option, pair, peerCredentials, poll, receive, send
    }

    package let call: Call
    package let errno: Int32

    package init(call: Call, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    /// Whether the socket was closed or shut down on purpose, so that a retry is useless.
    package var meansClosed: Bool { errno == EINVAL || errno == EBADF }

    package var description: String {
        let reason = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
        return "\(call.rawValue): \(reason)"
    }
}
