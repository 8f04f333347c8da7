// SPDX-License-Identifier: Apache-2.0
import Glibc

/// TCP ports of the loopback address for a new world.
enum FreePort {
    /// A port that nobody uses now.
    ///
    /// - Throws: ``CommandFailure``.
    static func tcp() throws -> Int {
        guard let port = bound(to: 0) else {
            throw CommandFailure(
                code: "no_port", message: "The machine has no free TCP port on 127.0.0.1.",
                remedy: "Stop other programs.")
        }
        return port
    }

    /// A world's ports stand in its addresses for ever, so it cannot take others.
    ///
    /// - Throws: ``CommandFailure`` where somebody else uses `port`.
    static func check(_ port: Int, of layout: WorldLayout) throws {
        guard bound(to: UInt16(clamping: port)) == nil else { return }
        throw CommandFailure(
            code: "port_in_use", message: "Another program uses port \(port), which is this world's.",
            remedy: "Find it with: ss -ltnp; end it, or remove the folder \(layout.root) for a new world.")
    }

    /// The port that a socket gets which asks for `port`; nil where it gets none.
    private static func bound(to port: UInt16) -> Int? {
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
        return outcome == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }
}
