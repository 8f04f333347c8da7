// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// TCP ports of the loopback address, for programs that must be told theirs.
package enum FreePort {
    /// The ports of `baton up`, and those of tests that start a server by themselves. Both lie below those that the kernel
    /// gives to connections (ip(7), `ip_local_port_range`), so that no connection takes a port while its server is down.
    package static let ofEnvironments: ClosedRange<UInt16> = 10_240...19_999
    package static let ofTests: ClosedRange<UInt16> = 20_000...31_999

    /// A port that nobody uses now; nil where there is none. Nobody holds it for you: ask late.
    package static func tcp(in range: ClosedRange<UInt16> = ofEnvironments) -> UInt16? {
        for _ in 0..<100 {
            if let port = bound(to: UInt16.random(in: range)) { return port }
        }
        return nil
    }

    /// Whether nobody listens at `port`.
    package static func isFree(_ port: UInt16) -> Bool { bound(to: port) != nil }

    /// The port of a socket that was bound to `port`; nil where somebody has it.
    private static func bound(to port: UInt16) -> UInt16? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        // As servers do: a port where only ended connections linger is free.
        var yes: Int32 = 1
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let bound = unsafe bind(socket, address, size)
                return unsafe bound == 0 ? getsockname(socket, address, &size) : bound
            }
        }
        return outcome == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }
}
