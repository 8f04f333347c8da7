// SPDX-License-Identifier: Apache-2.0
import Glibc

/// TCP ports of the loopback address for a new world.
enum FreePort {
    /// A port that nobody uses now.
    ///
    /// - Throws: ``CommandFailure``.
    static func tcp() throws -> Int {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw failure }
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
        guard outcome == 0 else { throw failure }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static let failure = CommandFailure(
        code: "no_port", message: "The machine has no free TCP port on 127.0.0.1.", remedy: "Stop other programs.")
}
