// SPDX-License-Identifier: Apache-2.0
internal import Glibc

extension Descriptor {
    /// Sets a timeout after which a blocked send fails (`SO_SNDTIMEO`); 0 means no timeout.
    ///
    /// - Throws: ``SocketError`` if the descriptor is not a socket.
    package func setSendTimeout(milliseconds: Int32) throws(SocketError) {
        try set(SO_SNDTIMEO, milliseconds)
    }

    /// Sets a timeout after which a blocked receive fails (`SO_RCVTIMEO`); 0 means no timeout.
    ///
    /// - Throws: ``SocketError`` if the descriptor is not a socket.
    package func setReceiveTimeout(milliseconds: Int32) throws(SocketError) {
        try set(SO_RCVTIMEO, milliseconds)
    }

    /// Makes sends and receives fail with `EAGAIN` instead of waiting.
    ///
    /// - Throws: ``SocketError`` if the descriptor is not open.
    package func setNonBlocking() throws(SocketError) {
        let outcome = withNumber { number in fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }
        guard outcome == 0 else { throw SocketError(call: .option, errno: errno) }
    }

    private func set(_ option: Int32, _ milliseconds: Int32) throws(SocketError) {
        var limit = timeval(tv_sec: Int(milliseconds / 1000), tv_usec: Int(milliseconds % 1000) * 1000)
        let outcome = withNumber { socket in
            unsafe setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard outcome == 0 else { throw SocketError(call: .option, errno: errno) }
    }
}
