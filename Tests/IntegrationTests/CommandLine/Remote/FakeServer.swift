// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import OAuth

@testable import baton_server

/// A server on a loopback port whose answers a test chooses, including answers that no HTTP server sends.
final class FakeServer: Sendable {
    struct Request: Sendable {
        let method: String
        /// The path, percent-encoded, without the query.
        let path: String
        let query: String
        let headers: HTTPHeaders
        let body: String

        /// The path and the query.
        var target: String { query.isEmpty ? path : "\(path)?\(query)" }
    }

    enum Answer: Sendable {
        case reply(Int, [(String, String)], String)
        /// A body that never ends.
        case endless
        /// The connection ends in the middle of the body.
        case broken
        /// The connection ends without an answer.
        case dropped

        static func json(_ text: String, status: Int = 200, _ headers: [(String, String)] = []) -> Answer {
            .reply(status, [("Content-Type", "application/json")] + headers, text)
        }

        /// A refusal, in the form of the administration.
        static func refusal(
            _ status: Int, _ code: String, _ headers: [(String, String)] = [], more: String = ""
        ) -> Answer {
            json(
                #"{"error":{"code":"\#(code)","message":"Cause.","remedy":"Remedy."\#(more)}}"#, status: status, headers
            )
        }
    }

    let port: Int
    private let listener: any Channel

    /// Listens on a free port of an address of this machine, or on a Unix socket, with TLS if there is an authority.
    ///
    /// - Parameter answer: called on an event loop; it must not block.
    init(
        _ authority: DevelopmentAuthority?, at address: String = "127.0.0.1", socket: String? = nil,
        answer: @escaping @Sendable (Request) -> Answer
    ) async throws {
        let tls = try authority.map { authority in
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: [
                        .certificate(try NIOSSLCertificate(bytes: Array(authority.certificate.utf8), format: .pem))
                    ],
                    privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(authority.key.utf8), format: .pem))))
        }
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Connection(answer))
                }
            }
        listener =
            if let socket {
                try await bootstrap.bind(unixDomainSocketPath: socket).get()
            } else {
                try await bootstrap.bind(host: address, port: 0).get()
            }
        port = listener.localAddress?.port ?? 0
    }

    deinit { listener.close(promise: nil) }

    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let answer: @Sendable (Request) -> Answer
        private var head: HTTPRequestHead?
        private var body = ""

        init(_ answer: @escaping @Sendable (Request) -> Answer) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, "")
            case .body(let buffer): body += String(buffer: buffer)
            case .end:
                guard let head else { return }
                let parts = head.uri.split(separator: "?", maxSplits: 1).map(String.init)
                let request = Request(
                    method: head.method.rawValue, path: parts[0], query: parts.count > 1 ? parts[1] : "",
                    headers: head.headers, body: body)
                send(answer(request), context)
            }
        }

        private func send(_ answer: Answer, _ context: ChannelHandlerContext) {
            switch answer {
            case .reply(let status, let headers, let text):
                begin(status, headers + [("Content-Length", String(text.utf8.count))], context)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            case .endless:
                begin(200, [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")], context)
                write(context, ByteBuffer(repeating: UInt8(ascii: " "), count: 1 << 18))
            case .broken:
                begin(200, [("Content-Type", "application/json"), ("Content-Length", "1000")], context)
                context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "["))))).assumeIsolated()
                    .whenComplete { _ in context.close(promise: nil) }
            case .dropped: context.close(promise: nil)
            }
        }

        private func begin(_ status: Int, _ headers: [(String, String)], _ context: ChannelHandlerContext) {
            let head = HTTPResponseHead(
                version: .http1_1, status: .init(statusCode: status), headers: HTTPHeaders(headers))
            context.write(wrapOutboundOut(.head(head)), promise: nil)
        }

        /// Writes a piece of a body again and again, until the client has closed the connection.
        private func write(_ context: ChannelHandlerContext, _ piece: ByteBuffer) {
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(piece)))).assumeIsolated().whenSuccess { [self] in
                write(context, piece)
            }
        }
    }
}
