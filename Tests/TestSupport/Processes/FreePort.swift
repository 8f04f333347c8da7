// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// TCP ports for programs under test that must be told theirs.
package enum FreePort {
    /// A port of 127.0.0.1 that the kernel says is free.
    ///
    /// Nobody holds it for you: ask late, and let programs that can choose port 0 do so.
    package static func tcp() throws -> UInt16 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw TestProblem("socket: error \(errno)") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let bound = unsafe bind(socket, address, size)
                return unsafe bound == 0 ? getsockname(socket, address, &size) : bound
            }
        }
        guard outcome == 0 else { throw TestProblem("bind: error \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }
}
