// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// TCP ports on the loopback address, for programs that must be given a port.
package enum FreePort {
    /// The ports of `baton up` (`ofEnvironments`), and those of tests that start a server themselves (`ofTests`). Both
    /// are below the ephemeral ports (ip(7), `ip_local_port_range`), so no outgoing connection takes the port of a
    /// server that is not running.
    package static let ofEnvironments: ClosedRange<UInt16> = 10_240...19_999
    package static let ofTests: ClosedRange<UInt16> = 20_000...31_999

    /// Returns a port that is unused now, or nil if none is found. The port is not reserved, so call this as late as
    /// possible.
    package static func tcp(in range: ClosedRange<UInt16> = ofEnvironments) -> UInt16? {
        for _ in 0..<100 {
            if let port = bound(to: UInt16.random(in: range)) { return port }
        }
        return nil
    }

    /// Whether `port` is unused.
    package static func isFree(_ port: UInt16) -> Bool { bound(to: port) != nil }

    /// Binds a socket to `port` and returns its port; nil if the port is in use.
    private static func bound(to port: UInt16) -> UInt16? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        // Binds as a server does, so that a port with only closed connections in TIME_WAIT counts as free.
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
