// SPDX-License-Identifier: Apache-2.0
import Glibc
import Hummingbird
import Logging
import Processes
import TestSupport
import Testing
import UnixSocket

@testable import HomeScreen

/// The home screen's server, to which the tests connect directly.
@Suite(.timeLimit(.minutes(2))) struct HomeServerTests {
    private struct Answer: HTTPResponder {
        func respond(to request: Request, context: HomeContext) async throws -> Response {
            Response(status: .noContent)
        }
    }

    private static let request = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    private func serve(
        as owner: UInt32 = geteuid(), _ limits: HomeServer.Limits = HomeServer.Limits(),
        _ body: @escaping @Sendable (UInt16) async throws -> Void
    ) async throws {
        let socket = try LoopbackListener(port: 0)
        let server = HomeServer(socket: socket, owner: owner, limits: limits, logger: Logger(label: "test"))
        try await withThrowingTaskGroup { group in
            group.addTask { try await server.run(Answer()) }
            group.addTask { try await body(socket.port) }
            try await group.next()
            group.cancelAll()
        }
    }

    @Test func `a connection of another user is closed unread`() async throws {
        try await serve(as: geteuid() + 4242) { port in
            let answer = try await blocking { try Client(port).ask(Self.request) }
            #expect(answer == "")
        }
    }

    @Test func `connections over the limit are closed unread, and a place is free again`() async throws {
        try await serve(as: geteuid(), HomeServer.Limits(connections: 2)) { port in
            try await blocking {
                let first = try Client(port)
                let second = try Client(port)
                for client in [first, second] { #expect(client.ask(Self.request).hasPrefix("HTTP/1.1 204 ")) }
                #expect(try Client(port).ask(Self.request) == "")
                #expect(first.ask(Self.request).hasPrefix("HTTP/1.1 204 "))
                // The place is free as soon as the server has noticed the end of the connection. The server then closes
                // its side.
                second.endSending()
                #expect(second.read() == "")
                #expect(try Client(port).ask(Self.request).hasPrefix("HTTP/1.1 204 "))
            }
        }
    }

    @Test func `a connection without a complete request ends after a time limit`() async throws {
        try await serve(as: geteuid(), HomeServer.Limits(patience: .milliseconds(100))) { port in
            try await blocking {
                let (mute, half) = (try Client(port), try Client(port))
                #expect(half.ask("GET / HTTP/1.1\r\nHost: ") == "")
                #expect(mute.read() == "")
            }
        }
    }
}

/// A connection to a loopback port. Its calls block.
private final class Client: Sendable {
    private let socket: Descriptor

    init(_ port: UInt16) throws {
        socket = try LoopbackSocket.connected(to: port)
        // A server that neither answers nor closes must fail a test.
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        socket.withNumber { number in
            _ = unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    func endSending() { socket.withNumber { _ = shutdown($0, Int32(SHUT_WR)) } }

    /// Sends the text, and returns what ``read()`` returns.
    func ask(_ text: String) -> String {
        let bytes = Array(text.utf8)
        socket.withNumber { number in
            _ = unsafe bytes.withUnsafeBytes { unsafe send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
        return read()
    }

    /// Returns the next part of an answer; empty if the server has closed the connection.
    func read() -> String {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = socket.withNumber { number in
            unsafe chunk.withUnsafeMutableBytes { unsafe recv(number, $0.baseAddress, $0.count, 0) }
        }
        if count < 0, errno == EAGAIN { return "nothing" }
        return String(decoding: chunk.prefix(max(0, count)), as: UTF8.self)
    }
}
