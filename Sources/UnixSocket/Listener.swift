// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// A listening Unix socket.
package final class Listener: Sendable {
    package let descriptor: Descriptor
    package let path: String

    /// Binds `path` with the permissions `mode` and listens. Replaces a socket file that a dead process left behind.
    ///
    /// - Throws: ``SocketError``, with `ENAMETOOLONG` for paths over 107 bytes.
    package init(path: String, mode: UInt32, backlog: Int32 = 128) throws(SocketError) {
        _ = unsafe unlink(path)
        let number = unsafe clinux_listen(path, mode, backlog)
        guard number >= 0 else { throw SocketError(call: .listen, errno: -number) }
        self.descriptor = Descriptor(owning: number)
        self.path = path
    }

    /// Takes over a listening socket that the service manager made.
    ///
    /// - Throws: ``SocketError`` with `EINVAL` if it is not a listening Unix stream socket with a path.
    package init(inherited descriptor: Descriptor) throws(SocketError) {
        guard descriptor.withNumber({ clinux_listens($0) }) == 1 else {
            throw SocketError(call: .inherit, errno: EINVAL)
        }
        var path = [CChar](repeating: 0, count: 128)
        let outcome = descriptor.withNumber { number in
            unsafe clinux_socket_path(number, &path, path.count)
        }
        guard outcome == 0 else { throw SocketError(call: .inherit, errno: -outcome) }
        self.descriptor = descriptor
        self.path = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Waits for the next connection.
    ///
    /// - Throws: ``SocketError``; with `EINVAL` after ``close()``.
    package func accept() throws(SocketError) -> Descriptor {
        let number = descriptor.withNumber { clinux_accept($0) }
        guard number >= 0 else { throw SocketError(call: .accept, errno: -number) }
        return Descriptor(owning: number)
    }

    /// Stops listening: a waiting ``accept()`` returns with an error.
    ///
    /// The socket file stays, so that clients are refused and do not conclude that the service never existed.
    package func close() {
        _ = descriptor.withNumber { Glibc.shutdown($0, Int32(SHUT_RDWR)) }
    }
}
