// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes
import StoragePostgreSQL
import Synchronization
import TestSupport
import UnixSocket

/// Forwards connections to a server, and cuts a connection at the moment of a commit.
final class CommitCutter: Sendable {
    enum Moment: Sendable {
        /// The server gets no commit.
        case before
        /// The server commits, and its answer is lost.
        case after
    }

    private let next = Mutex<Moment?>(nil)

    /// Listens in the folder of `scratch`, as a server does.
    init(cluster: PostgreSQLCluster, in scratch: Scratch) throws {
        let listener = try Listener(path: scratch.path(".s.PGSQL.5432"), mode: 0o600)
        scratch.atEnd { listener.close() }
        let server = cluster.folder + "/.s.PGSQL.5432"
        try BlockingThread.start {
            while let client = try? listener.accept() {
                do {
                    let (server, isMute) = (try connected(to: server), Flag())
                    try BlockingThread.start { self.forward(from: client, to: server, isMute) }
                    try BlockingThread.start { Self.copy(from: server, to: client, unless: isMute) }
                } catch { return }
            }
        }
    }

    func cutNextCommit(_ moment: Moment) { next.withLock { $0 = moment } }

    private func forward(from client: Descriptor, to server: Descriptor, _ isMute: Flag) {
        while let bytes = received(from: client) {
            guard isCommit(bytes),
                let moment = next.withLock({ next in
                    defer { next = nil }
                    return next
                })
            else {
                sent(bytes, to: server)
                continue
            }
            guard moment == .after else { break }
            // The server closes its end of the connection when it has committed and has read the end of the stream;
            // then the client's end is closed, too.
            isMute.isSet.withLock { $0 = true }
            sent(bytes, to: server)
            finish(server)
            return
        }
        shut(server)
    }

    /// Whether the server's answers are dropped.
    private final class Flag: Sendable {
        let isSet = Mutex(false)
    }

    private static func copy(from server: Descriptor, to client: Descriptor, unless isMute: Flag) {
        while let bytes = received(from: server) {
            if !isMute.isSet.withLock(\.self) { sent(bytes, to: client) }
        }
        shut(client)
    }

    private func isCommit(_ bytes: [UInt8]) -> Bool {
        bytes.first == UInt8(ascii: "Q") && bytes.dropFirst(5).elementsEqual("COMMIT\0".utf8)
    }
}

func connected(to path: String) throws -> Descriptor {
    let connection = Descriptor(owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let outcome = connection.withNumber { number in
        unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
    guard outcome == 0 else { throw TestProblem("\(path): error \(errno)") }
    return connection
}

func received(from source: Descriptor) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = source.withNumber { unsafe recv($0, &bytes, bytes.count, 0) }
    return count > 0 ? Array(bytes[..<count]) : nil
}

func sent(_ bytes: [UInt8], to target: Descriptor) {
    _ = target.withNumber { unsafe send($0, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
}

func shut(_ end: Descriptor) { _ = end.withNumber { shutdown($0, Int32(SHUT_RDWR)) } }

private func finish(_ end: Descriptor) { _ = end.withNumber { shutdown($0, Int32(SHUT_WR)) } }
