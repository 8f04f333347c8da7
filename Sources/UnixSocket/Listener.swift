// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// A listening Unix socket.
package final class Listener: Sendable {
    package let descriptor: Descriptor
    package let path: String
    /// Ends a waiting ``accept()`` on a socket that the service manager also holds; nil for a socket of this process.
    private let stop: Descriptor?

    /// Binds `path` with the permissions `mode` and listens. Replaces a socket file that a dead process left behind.
    ///
    /// - Throws: ``SocketError``, with `ENAMETOOLONG` for paths over 107 bytes.
    package init(path: String, mode: UInt32, backlog: Int32 = 128) throws(SocketError) {
        _ = unsafe unlink(path)
        let number = unsafe clinux_listen(path, mode, backlog)
        guard number >= 0 else { throw SocketError(call: .listen, errno: -number) }
        self.descriptor = Descriptor(owning: number)
        self.path = path
        self.stop = nil
    }

    /// Takes over a listening socket that the service manager made.
    ///
    /// - Throws: ``SocketError``; with `EINVAL` if it is not a listening Unix stream socket with a path.
    package init(inherited descriptor: Descriptor) throws(SocketError) {
        guard descriptor.withNumber({ clinux_listens($0) }) == 1 else {
            throw SocketError(call: .inherit, errno: EINVAL)
        }
        var path = [CChar](repeating: 0, count: 128)
        let outcome = descriptor.withNumber { number in
            unsafe clinux_socket_path(number, &path, path.count)
        }
        guard outcome == 0 else { throw SocketError(call: .inherit, errno: -outcome) }
        let event = clinux_event()
        guard event >= 0 else { throw SocketError(call: .inherit, errno: -event) }
        self.stop = Descriptor(owning: event)
        self.descriptor = descriptor
        self.path = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Waits for the next connection.
    ///
    /// - Throws: ``SocketError``; with `EINVAL` after ``close()``.
    package func accept() throws(SocketError) -> Descriptor {
        let number = descriptor.withNumber { socket in
            guard let stop else { return clinux_accept(socket, -1) }
            return stop.withNumber { clinux_accept(socket, $0) }
        }
        guard number >= 0 else { throw SocketError(call: .accept, errno: -number) }
        return Descriptor(owning: number)
    }

    /// Stops listening: a waiting ``accept()`` returns with an error.
    ///
    /// The socket file remains. Clients of a socket of this process are therefore refused; without the file, they could
    /// conclude that the service never existed. Clients of an inherited socket wait for the next process. For an
    /// inherited socket, shutdown(2) is not called: it would also end the service manager's socket, because both are
    /// the same socket.
    package func close() {
        guard let stop else {
            _ = descriptor.withNumber { Glibc.shutdown($0, Int32(SHUT_RDWR)) }
            return
        }
        var one: UInt64 = 1
        _ = stop.withNumber { unsafe write($0, &one, MemoryLayout<UInt64>.size) }
    }
}
