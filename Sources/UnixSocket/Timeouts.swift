// SPDX-License-Identifier: Apache-2.0
internal import Glibc

extension Descriptor {
    /// Lets a send that cannot go on fail after a while (`SO_SNDTIMEO`); 0 waits without end.
    ///
    /// - Throws: ``SocketError`` when the descriptor is not a socket.
    package func setSendTimeout(milliseconds: Int32) throws(SocketError) {
        try set(SO_SNDTIMEO, milliseconds)
    }

    /// Lets a receive that gets nothing fail after a while (`SO_RCVTIMEO`); 0 waits without end.
    ///
    /// - Throws: ``SocketError`` when the descriptor is not a socket.
    package func setReceiveTimeout(milliseconds: Int32) throws(SocketError) {
        try set(SO_RCVTIMEO, milliseconds)
    }

    private func set(_ option: Int32, _ milliseconds: Int32) throws(SocketError) {
        var limit = timeval(tv_sec: Int(milliseconds / 1000), tv_usec: Int(milliseconds % 1000) * 1000)
        let outcome = withNumber { socket in
            unsafe setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard outcome == 0 else { throw SocketError(call: .option, errno: errno) }
    }
}
