// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Processes
internal import Synchronization
package import UnixSocket

/// Forwards connections to a PostgreSQL server. Cuts a connection at the moment of a commit, or all connections at once.
package final class CommitCutter: Sendable {
    package enum Moment: Sendable {
        /// The server gets no commit.
        case before
        /// The server commits, and its answer is lost.
        case after
    }

    private struct State {
        var next: Moment?
        /// Both ends of each connection.
        var open: [Int: (client: Descriptor, server: Descriptor)] = [:]
        var count = 0
        /// How many messages clients have sent, and after how many of them the server is lost.
        var (messages, last): (Int, Int?) = (0, nil)
        var isLost: Bool { last.map { messages >= $0 } ?? false }
    }

    private let state = Mutex(State())
    private let server: String

    /// Listens in `folder`, as a server does.
    package init(cluster: PostgreSQLCluster, folder: String, in scratch: Scratch) throws {
        server = cluster.folder + "/.s.PGSQL.5432"
        let listener = try Listener(path: folder + "/.s.PGSQL.5432", mode: 0o600)
        scratch.atEnd { [self] in
            listener.close()
            cutAll()
        }
        try BlockingThread.start { [self] in
            // If the server is lost, the client's connection is closed at once.
            while let client = try? listener.accept() { if !isLost { try? relay(client) } }
        }
    }

    /// - Parameter moment: nil to cut none.
    package func cutNextCommit(_ moment: Moment?) { state.withLock { $0.next = moment } }

    /// How many messages clients have sent.
    package var messages: Int { state.withLock(\.messages) }

    private var isLost: Bool { state.withLock(\.isLost) }

    /// Cuts every connection, and refuses later ones, once clients have sent `count` more messages; nil accepts
    /// connections again.
    package func loseServer(afterMessages count: Int?) {
        state.withLock { $0.last = count.map { [messages = $0.messages] in messages + $0 } }
    }

    /// Cuts every open connection, and no later one.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func cutAll() -> Int {
        let open = state.withLock { Array($0.open.values) }
        for (client, server) in open { for end in [client, server] { Relay.shut(end) } }
        return open.count
    }

    private func relay(_ client: Descriptor) throws {
        let (server, isMute) = (try Relay.connect(to: server), Flag())
        let number = state.withLock { state in
            state.count += 1
            state.open[state.count] = (client, server)
            return state.count
        }
        try BlockingThread.start { [self] in
            forward(from: client, to: server, isMute)
        }
        try BlockingThread.start { [self] in
            while let bytes = Relay.receive(from: server) {
                if !isMute.isSet.withLock(\.self) { Relay.send(bytes, to: client) }
            }
            Relay.shut(client)
            state.withLock { $0.open[number] = nil }
        }
    }

    private func forward(from client: Descriptor, to server: Descriptor, _ isMute: Flag) {
        while let bytes = Relay.receive(from: client) {
            let isLost = state.withLock { state in
                state.messages += 1
                return state.isLost
            }
            if isLost {
                cutAll()
                return
            }
            guard isCommit(bytes), let moment = takeMoment() else {
                Relay.send(bytes, to: server)
                continue
            }
            guard moment == .after else { break }
            // The server closes its end of the connection when it has committed and has read the end of the stream;
            // then the client's end is closed, too.
            isMute.isSet.withLock { $0 = true }
            Relay.send(bytes, to: server)
            Relay.finish(server)
            return
        }
        Relay.shut(server)
    }

    private func takeMoment() -> Moment? {
        state.withLock { state in
            defer { state.next = nil }
            return state.next
        }
    }

    /// Whether the server's answers are dropped.
    private final class Flag: Sendable {
        let isSet = Mutex(false)
    }

    private func isCommit(_ bytes: [UInt8]) -> Bool {
        bytes.first == UInt8(ascii: "Q") && bytes.dropFirst(5).elementsEqual("COMMIT\0".utf8)
    }
}

/// Blocking calls on stream sockets, for programs between a client and a server.
package enum Relay {
    package static func connect(to path: String) throws -> Descriptor {
        let connection = Descriptor(owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let outcome = connection.withNumber { number in
            unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        guard outcome == 0 else { throw TestProblem("\(path): error \(errno)") }
        return connection
    }

    /// Returns the next bytes; nil at the end of the stream.
    package static func receive(from source: Descriptor) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = source.withNumber { unsafe recv($0, &bytes, bytes.count, 0) }
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    package static func send(_ bytes: [UInt8], to target: Descriptor) {
        _ = target.withNumber { unsafe Glibc.send($0, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    package static func shut(_ end: Descriptor) { _ = end.withNumber { shutdown($0, Int32(SHUT_RDWR)) } }

    /// Ends the stream in one direction.
    static func finish(_ end: Descriptor) { _ = end.withNumber { shutdown($0, Int32(SHUT_WR)) } }
}
