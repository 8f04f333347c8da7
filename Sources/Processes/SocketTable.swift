// SPDX-License-Identifier: Apache-2.0
package import Files

/// The sockets of this network namespace, as `/proc/net` lists them (proc_pid_net(5)): TCP sockets that listen, and
/// Unix sockets with abstract names.
package enum SocketTable {
    /// A TCP socket that listens.
    package struct Listener: Sendable, Equatable {
        /// `tcp` or `tcp6`.
        package let family: String
        package let port: UInt16
        /// The user id of the socket's owner.
        package let user: UInt32
        package let inode: String
    }

    /// A Unix socket with an abstract name, which belongs to no file system (unix(7)).
    package struct AbstractSocket: Sendable, Equatable {
        /// The name, with an `@` in place of its first byte, in printable form (`String(printableName:)`).
        package let name: String
        package let isListening: Bool
        package let inode: String
    }

    /// Reads the TCP sockets that listen.
    package static func listeners() throws(FileError) -> [Listener] {
        var found: [Listener] = []
        for family in ["tcp", "tcp6"] {
            for line in try lines(family) {
                let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
                // 0A: the socket listens.
                guard fields.count > 9, fields[3] == "0A", let user = UInt32(fields[7]),
                    let port = fields[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) })
                else { continue }
                found.append(Listener(family: family, port: port, user: user, inode: String(fields[9])))
            }
        }
        return found
    }

    /// Reads the sockets with abstract names.
    package static func abstractSockets() throws(FileError) -> [AbstractSocket] {
        try lines("unix").compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 7)
            guard fields.count == 8, fields[7].first == UInt8(ascii: "@"),
                let flags = UInt32(String(decoding: fields[3], as: UTF8.self), radix: 16)
            else { return nil }
            return AbstractSocket(
                name: String(printableName: fields[7]), isListening: flags & acceptsConnections != 0,
                inode: String(decoding: fields[6], as: UTF8.self))
        }
    }

    /// How a link in `/proc/<pid>/fd` names a socket.
    package static func link(to inode: String) -> String { "socket:[\(inode)]" }

    /// `__SO_ACCEPTCON` of Linux's `net.h`.
    private static let acceptsConnections: UInt32 = 1 << 16

    /// Returns the lines of a kernel file without their heading; empty if this kernel has no such file.
    private static func lines(_ name: String) throws(FileError) -> ArraySlice<ArraySlice<UInt8>> {
        (try AtomicFile(path: "/proc/net/" + name).read() ?? []).split(separator: UInt8(ascii: "\n")).dropFirst()
    }
}
