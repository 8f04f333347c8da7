// SPDX-License-Identifier: Apache-2.0
internal import Glibc
package import UnixSocket

/// A plain TCP socket of a test, for bytes that an HTTP client would not send.
package enum LoopbackSocket {
    /// Connects to a port of this machine.
    ///
    /// - Parameter address: an address of the machine's loopback interface.
    /// - Throws: ``TestProblem`` if nobody listens there.
    package static func connected(to port: UInt16, at address: UInt32 = 0x7f00_0001) throws(TestProblem) -> Descriptor {
        let socket = Descriptor(
            owning: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        target.sin_addr.s_addr = address.bigEndian
        let error = socket.withNumber { number in
            let outcome = unsafe withUnsafePointer(to: &target) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            return outcome == 0 ? 0 : errno
        }
        guard error == 0 else { throw TestProblem("port \(port): error \(error)") }
        return socket
    }
}
