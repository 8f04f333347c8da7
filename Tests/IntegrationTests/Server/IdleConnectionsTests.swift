// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import baton_server

/// Which connection is closed if a listener with few places has almost none left.
@Suite struct IdleConnectionsTests {
    /// Two connections may be open before a connection is closed.
    private let connections = IdleConnections(limit: IdleConnections.reserve + 2)

    private func open() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([ConnectionEnd(), IdleConnections.Handler(connections)])
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/-"), promise: nil)
        return channel
    }

    private func begin(_ channel: EmbeddedChannel) throws {
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/healthz")
        try channel.writeInbound(HTTPServerRequestPart.head(head))
    }

    private func answer(_ channel: EmbeddedChannel) throws {
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    }

    /// Lets closed channels give up their places, and returns which of the channels are open.
    private func areOpen(_ channels: EmbeddedChannel...) -> [Bool] {
        for channel in channels { channel.embeddedEventLoop.run() }
        return channels.map(\.isActive)
    }

    @Test func `a connection with a request is not closed, and waits again after its response`() throws {
        let (first, second) = (try open(), try open())
        try begin(first)
        let third = try open()
        #expect(areOpen(first, second, third) == [true, false, true])
        try answer(first)
        // The third has waited longer than the first, whose response has just ended.
        let fourth = try open()
        #expect(areOpen(first, third, fourth) == [true, false, true])
        let fifth = try open()
        #expect(areOpen(first, fourth, fifth) == [false, true, true])
    }

    @Test func `a connection that ends by itself leaves its place to others`() throws {
        let (first, second) = (try open(), try open())
        first.close(promise: nil)
        #expect(areOpen(first, second) == [false, true])
        let third = try open()
        #expect(areOpen(second, third) == [true, true])
        let fourth = try open()
        #expect(areOpen(second, third, fourth) == [false, true, true])
    }

    @Test func `the only connection without a request is never closed`() throws {
        let (first, second) = (try open(), try open())
        for channel in [first, second] { try begin(channel) }
        let third = try open()
        #expect(areOpen(first, second, third) == [true, true, true])
    }
}
