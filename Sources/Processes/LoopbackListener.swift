// SPDX-License-Identifier: Apache-2.0
internal import Glibc
package import UnixSocket

/// A listening TCP socket on 127.0.0.1, which can outlive the program that made it (``Heritage``).
package struct LoopbackListener: Sendable {
    package let descriptor: Descriptor
    package let port: UInt16

    /// How many connections may wait until they are accepted.
    private static let backlog: Int32 = 64

    /// Listens on this port; 0 for a free one.
    ///
    /// - Throws: ``SocketError``, with `EADDRINUSE` if another program has the port.
    package init(port: Int) throws(SocketError) {
        guard let port = UInt16(exactly: port) else { throw SocketError(call: .listen, errno: EINVAL) }
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SocketError(call: .listen, errno: errno) }
        descriptor = Descriptor(owning: number)
        // Closed connections of an earlier program may still be in TIME_WAIT.
        var yes: Int32 = 1
        _ = unsafe setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isBound = unsafe Self.withSocketAddress(&address) { unsafe bind(number, $0, $1.pointee) } == 0
        guard isBound, listen(number, Self.backlog) == 0 else { throw SocketError(call: .listen, errno: errno) }
        self.port = try Self.port(of: descriptor)
    }

    /// Takes over the socket of this process's former start.
    ///
    /// - Throws: ``SocketError`` if it is not a socket.
    package init(_ former: Descriptor) throws(SocketError) { (descriptor, port) = (former, try Self.port(of: former)) }

    private static func port(of socket: Descriptor) throws(SocketError) -> UInt16 {
        var address = sockaddr_in()
        let outcome = socket.withNumber { number in
            unsafe withSocketAddress(&address) { unsafe getsockname(number, $0, $1) }
        }
        guard outcome == 0 else { throw SocketError(call: .listen, errno: errno) }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func withSocketAddress(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int32 {
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, &size) }
        }
    }
}
