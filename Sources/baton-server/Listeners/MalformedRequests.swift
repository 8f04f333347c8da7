// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// Gives the answer to a request that the HTTP decoder cannot read a body in the form of the administration's refusals.
///
/// Hummingbird answers such a request with 400 and no body, and closes the connection. This handler recognises the answer
/// by its only two fields, after an error of the decoder has passed. Every other answer of the listener has more fields.
final class MalformedRequests: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let refusal: Refusal
    private var isMalformed = false

    init(_ refusal: Refusal) { self.refusal = refusal }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError { isMalformed = true }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isMalformed, case .head(let head) = Self.unwrapOutboundIn(data), Self.isEmptyRefusal(head) else {
            return context.write(data, promise: promise)
        }
        isMalformed = false
        context.write(Self.wrapOutboundOut(.head(refusal.head)), promise: promise)
        context.write(Self.wrapOutboundOut(.body(.byteBuffer(refusal.body))), promise: nil)
    }

    private static func isEmptyRefusal(_ head: HTTPResponseHead) -> Bool {
        head.status == .badRequest && head.headers.count == 2 && head.headers["Connection"] == ["close"]
            && head.headers["Content-Length"] == ["0"]
    }

    /// The answer to a malformed request. The connection ends after it.
    struct Refusal: Sendable {
        let head: HTTPResponseHead
        let body: ByteBuffer

        /// An answer without a body, for listeners whose answers have several forms.
        static let empty = Refusal([:], ByteBuffer())

        /// The refusal of the administration.
        ///
        /// - Throws: the encoder's error.
        static func administration() throws -> Refusal {
            let refusal = OperationRefusal(
                "admin.request", status: .badRequest,
                (
                    "The request is not well-formed HTTP, or its head is too large.",
                    "Send one Host field, no field on several lines, and at most 32 KiB in 100 fields."
                ))
            return Refusal(
                ["Content-Type": "application/json", "Cache-Control": "no-store"],
                ByteBuffer(bytes: try AdminAnswer.json(refusal.failure)))
        }

        private init(_ fields: HTTPHeaders, _ body: ByteBuffer) {
            var headers = fields
            headers.add(name: "Connection", value: "close")
            headers.add(name: "Content-Length", value: String(body.readableBytes))
            head = HTTPResponseHead(version: .http1_1, status: .badRequest, headers: headers)
            self.body = body
        }
    }
}
