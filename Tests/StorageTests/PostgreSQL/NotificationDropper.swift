// SPDX-License-Identifier: Apache-2.0
import Processes
import TestSupport
import UnixSocket

/// Forwards connections to a server, but drops the server's notifications.
enum NotificationDropper {
    /// Listens in the folder of `scratch`, as a server does.
    static func start(cluster: PostgreSQLCluster, in scratch: Scratch) throws {
        let listener = try Listener(path: scratch.path(".s.PGSQL.5432"), mode: 0o600)
        scratch.atEnd { listener.close() }
        let path = cluster.folder + "/.s.PGSQL.5432"
        try BlockingThread.start {
            while let client = try? listener.accept() {
                do {
                    let server = try Relay.connect(to: path)
                    try BlockingThread.start {
                        while let bytes = Relay.receive(from: client) { Relay.send(bytes, to: server) }
                        Relay.shut(server)
                    }
                    try BlockingThread.start {
                        var rest: [UInt8] = []
                        while let bytes = Relay.receive(from: server) {
                            rest += bytes
                            for message in messages(&rest) where message.first != UInt8(ascii: "A") {
                                Relay.send(message, to: client)
                            }
                        }
                        Relay.shut(client)
                    }
                } catch { return }
            }
        }
    }

    /// Removes and returns the complete messages from the server. A message begins with its type and its length; the
    /// length includes its own bytes.
    private static func messages(_ bytes: inout [UInt8]) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        while bytes.count >= 5 {
            let length = bytes[1...4].reduce(0) { $0 << 8 | Int($1) } + 1
            guard bytes.count >= length else { break }
            messages.append(Array(bytes[..<length]))
            bytes.removeFirst(length)
        }
        return messages
    }
}
