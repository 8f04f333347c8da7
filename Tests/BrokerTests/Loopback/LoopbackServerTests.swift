// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerSession
import Glibc
import Processes
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct LoopbackServerTests {
    private let served = Served()

    private final class Served: Sendable {
        let count = Mutex(0)
        /// Settled to release the requests for `/hold`.
        let release = Promise<Void>()
        let held = AsyncStream<Void>.makeStream()
    }

    private func opened(
        owner: Promise<UInt32> = .settled(getuid()), limits: LoopbackServer.Limits = .init()
    ) async throws -> LoopbackServer {
        let served = served
        return try await LoopbackServer.open(owner: owner, limits: limits, unable: { Issue.record($0) }) { request, _ in
            served.count.withLock { $0 += 1 }
            guard case .get(let path, _) = request else { return .page("started", headers: []) }
            if path == "/hold" {
                served.held.continuation.yield()
                _ = try? await served.release.value()
            }
            return .page("page \(path)", headers: [])
        }
    }

    private var servedRequests: Int { served.count.withLock(\.self) }

    @Test func `a connection of another user than the browser's is closed unread`() async throws {
        let server = try await opened(owner: .settled(getuid() + 4242))
        defer { server.close() }
        let page = try await LoopbackBrowser(at: server.startURL).start()
        #expect(page.bytes.isEmpty)
        #expect(servedRequests == 0)
    }

    @Test func `nothing is read before the browser's user is known`() async throws {
        let owner = Promise<UInt32>()
        let server = try await opened(owner: owner)
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        async let page = browser.start()
        let stranger = try LoopbackConnection(to: browser.port)
        #expect(servedRequests == 0)
        owner.settle(.success(getuid()))
        #expect(try await page.text == "started")
        _ = stranger
    }

    @Test func `when an attempt ends without an agent, its connections are closed and nothing remains`() async throws {
        var limits = LoopbackServer.Limits()
        limits.patience = .seconds(30)
        limits.unjudged = 1
        do {
            let server = try await opened(owner: Promise(), limits: limits)
            let port = try LoopbackBrowser(at: server.startURL).port
            // Taken before the connections begin, so their time limits end no earlier than `patience` after this
            // moment.
            let begun = ContinuousClock.now
            let connections = try (1...2).map { _ in try LoopbackConnection(to: port) }
            try await withThrowingTaskGroup(of: String.self) { ends in
                for connection in connections {
                    ends.addTask { try await BlockingCall.run { connection.readToEnd() } }
                }
                // There is room for only one of the two connections. When one of them has ended, the other has been
                // accepted.
                let refused = try await ends.next()
                server.close()
                let closed = try await ends.next()
                #expect(refused == "" && closed == "")
            }
            // The connection ended with the attempt, not by its own time limit.
            #expect(ContinuousClock.now - begun < limits.patience)
        }
        #expect(servedRequests == 0)
    }

    @Test func `data from a peer that has disconnected is not read, whatever user the kernel reports`() async throws {
        let owner = Promise<UInt32>()
        let server = try await opened(owner: owner)
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        let path = server.startURL.dropFirst(server.origin.count)
        do {
            let gone = try LoopbackConnection(to: browser.port)
            gone.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(browser.port)\r\n\r\n")
        }
        // The kernel reports user 0 for a socket without an owner.
        owner.settle(.success(getuid()))
        #expect(try await browser.start().text == "started")
        #expect(servedRequests == 1)
    }

    @Test func `a request before the browser's user is known is dropped, even if its sender closes its side`()
        async throws
    {
        let owner = Promise<UInt32>()
        let server = try await opened(owner: owner)
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        let path = server.startURL.dropFirst(server.origin.count)
        let early = try LoopbackConnection(to: browser.port)
        early.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(browser.port)\r\n\r\n")
        early.endSending()
        #expect(try await BlockingCall.run { early.readToEnd() } == "")
        owner.settle(.success(getuid()))
        #expect(try await browser.start().text == "started")
        #expect(servedRequests == 1)
    }

    @Test func `the start address works for one browser, whatever the connection`() async throws {
        let server = try await opened()
        defer { server.close() }
        let (first, second) = (try LoopbackBrowser(at: server.startURL), try LoopbackBrowser(at: server.startURL))
        #expect(try await first.get("/").status == 404)
        #expect(try await first.start().text == "started")
        #expect(try await second.start().status == 404)
        #expect(try await second.get("/?code=1").status == 404)
        #expect(try await first.get("/?code=1").text == "page /")
        #expect(try await first.start().text == "started")
        #expect(servedRequests == 3)
    }

    @Test func `the cookie is limited to this browser`() async throws {
        let server = try await opened()
        defer { server.close() }
        let cookie = try #require(try await LoopbackBrowser(at: server.startURL).start().header("Set-Cookie"))
        #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax"))
    }

    @Test func `connections over the limit are closed unread`() async throws {
        var limits = LoopbackServer.Limits()
        limits.connections = 2
        let server = try await opened(limits: limits)
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        _ = try await browser.start()
        async let first = browser.get("/hold")
        async let second = browser.get("/hold")
        var held = served.held.stream.makeAsyncIterator()
        for _ in 0..<2 { await held.next() }
        #expect(try await browser.get("/").bytes.isEmpty)
        served.release.settle(.success(()))
        #expect(try await [first.status, second.status] == [200, 200])
    }

    @Test func `a connection without a complete request ends after a time limit`() async throws {
        var limits = LoopbackServer.Limits()
        limits.patience = .milliseconds(100)
        let server = try await opened(limits: limits)
        defer { server.close() }
        let port = try LoopbackBrowser(at: server.startURL).port
        try await BlockingCall.run {
            let (mute, half) = (try LoopbackConnection(to: port), try LoopbackConnection(to: port))
            half.send("GET / HTTP/1.1\r\nHost: ")
            #expect(mute.readToEnd().isEmpty)
            #expect(half.readToEnd().isEmpty)
        }
    }

    @Test func `a request that none of the server's pages sends is refused`() async throws {
        let server = try await opened()
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        _ = try await browser.start()
        #expect(try await browser.post("/x", form: "a=b").status == 200)
        #expect(try await browser.post("/x", form: "a=b", origin: "http://evil.example").status == 404)
        #expect(try await browser.post("/x", form: "a=b", host: "localhost").status == 404)
        #expect(try await browser.post("/x", form: String(repeating: "a", count: 9000)).status == 0)
    }
}
