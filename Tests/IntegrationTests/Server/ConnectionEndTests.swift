// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOSSL
import TestSupport
import Testing

@testable import baton_server

/// The end of connections that the server closes. Both ends of each connection are in memory, and their time stands
/// still.
@Suite struct ConnectionEndTests {
    /// A server's and a client's end of an open TLS connection.
    private struct Ends {
        let server = EmbeddedChannel()
        let client = EmbeddedChannel()

        init(_ authority: DevelopmentAuthority) throws {
            let tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: [
                    .certificate(try NIOSSLCertificate(bytes: Array(authority.certificate.utf8), format: .pem))
                ],
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(authority.key.utf8), format: .pem)))
            var trust = TLSConfiguration.makeClientConfiguration()
            trust.certificateVerification = .none
            // As Hummingbird sets it.
            server.allowRemoteHalfClosure = true
            try server.pipeline.syncOperations.addHandlers([
                NIOSSLServerHandler(context: try NIOSSLContext(configuration: tls)), ConnectionEnd(),
            ])
            try client.pipeline.syncOperations.addHandler(
                try NIOSSLClientHandler(
                    context: try NIOSSLContext(configuration: trust), serverHostname: "login.test"))
            for end in [server, client] { end.connect(to: try SocketAddress(unixDomainSocketPath: "/-"), promise: nil) }
            try exchange()
        }

        /// Passes bytes on until both ends are silent.
        func exchange() throws {
            var isSilent = false
            while !isSilent {
                isSilent = true
                for (from, to) in [(client, server), (server, client)] {
                    while let bytes = try from.readOutbound(as: ByteBuffer.self) {
                        isSilent = false
                        if to.isActive { try to.writeInbound(bytes) }
                    }
                }
            }
        }
    }

    @Test func `a connection that the server closes ends with the client's answer`() async throws {
        try await Scratch.with { scratch in
            let directory = try StateDirectory(path: scratch.path("state"))
            let ends = try Ends(try DevelopmentAuthority(in: directory, names: ["login.test"]))
            ends.server.close(promise: nil)
            #expect(ends.server.isActive)
            try ends.exchange()
            #expect(!ends.client.isActive && !ends.server.isActive)
        }
    }

    /// Holds what is sent, like a channel whose client does not read.
    private final class Stall: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private var held: [(data: NIOAny, promise: EventLoopPromise<Void>?)] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            held.append((data, promise))
        }

        /// Drops what was not sent, as a channel's `close` does.
        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            for write in held { write.promise?.fail(ChannelError.alreadyClosed) }
            held = []
            context.close(mode: mode, promise: promise)
        }

        func read(_ context: ChannelHandlerContext) {
            for write in held { context.write(write.data, promise: write.promise) }
            held = []
            context.flush()
        }
    }

    /// Returns a connection whose client does not read, after the server has written these parts of a response.
    private func stalled(_ parts: HTTPServerResponsePart...) throws -> (channel: EmbeddedChannel, stall: Stall) {
        let (channel, stall) = (EmbeddedChannel(), Stall())
        try channel.pipeline.syncOperations.addHandlers([stall, HTTPResponseEncoder(), ConnectionEnd()])
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/-"), promise: nil)
        for part in parts { channel.writeAndFlush(part, promise: nil) }
        return (channel, stall)
    }

    private let head = HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok))

    @Test func `a connection is closed when the client has read its complete responses`() throws {
        let (channel, stall) = try stalled(head, .end(nil))
        let (first, second) = (channel.close(), channel.close())
        channel.writeAndFlush(head, promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        channel.embeddedEventLoop.run()
        #expect(channel.isActive)
        stall.read(try channel.pipeline.syncOperations.context(handler: stall))
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
        try first.wait()
        try second.wait()
        var sent = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { sent += String(buffer: bytes) }
        #expect(sent.hasSuffix("0\r\n\r\n") && sent.split(separator: "HTTP/1.1 200").count == 2, "\(sent)")
    }

    @Test func `a connection is closed at once in the middle of a response`() throws {
        let (channel, _) = try stalled(head)
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }

    @Test(arguments: [false, true])
    func `a client that does not read cannot hold a connection beyond its deadline or the server's stop`(
        stops: Bool
    ) throws {
        let (channel, _) = try stalled(head, .end(nil))
        let closed = channel.close()
        channel.embeddedEventLoop.run()
        #expect(channel.isActive)
        if stops {
            channel.close(mode: .input, promise: nil)
        } else {
            channel.triggerUserOutboundEvent(ConnectionEnd.Cut(), promise: nil)
        }
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
        try closed.wait()
    }
}
