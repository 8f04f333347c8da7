// SPDX-License-Identifier: Apache-2.0
internal import Encodings
package import HTTPTypes
package import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOEmbedded

/// Sends requests directly to a responder, without a socket; works for both servers.
package struct TestClient<Responder: HTTPResponder>: Sendable
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    private let responder: Responder
    private let host: String
    private let logger: Logger
    private let address: String?
    private let context: @Sendable (ApplicationRequestContextSource) -> Responder.Context

    /// - Parameters:
    ///   - host: the host name of the requests, unless a call names another host.
    ///   - log: receives the responder's log; without it, the log is dropped.
    ///   - address: the IP address from which the requests come.
    ///   - context: makes a request's context, if the responder needs more than a channel provides.
    package init(
        _ responder: Responder, host: String = "localhost", log: LogLines? = nil, address: String? = nil,
        context: @escaping @Sendable (ApplicationRequestContextSource) -> Responder.Context = {
            Responder.Context(source: $0)
        }
    ) {
        self.context = context
        self.address = address
        self.responder = responder
        self.host = host
        logger = log?.logger ?? LogLines.dropped
    }

    /// Sends one request and reads the whole answer.
    package func send(
        _ method: HTTPRequest.Method, _ path: String, host: String? = nil, headers: HTTPFields = [:],
        body: String? = nil
    ) async throws -> TestResponse {
        let request = Request(
            head: HTTPRequest(
                method: method, scheme: "https", authority: host ?? self.host, path: path, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer(string: body ?? "")))
        let channel = NIOAsyncTestingChannel()
        if let address { channel.remoteAddress = try SocketAddress(ipAddress: address, port: 4711) }
        let context = context(ApplicationRequestContextSource(channel: channel, logger: logger))
        let response = try await responder.respond(to: request, context: context)
        let collected = Collected()
        try await response.body.write(BodyCollector(collected: collected))
        return TestResponse(
            status: response.status, headers: response.headers, body: Array(await collected.bytes))
    }

    package func get(_ path: String, host: String? = nil, headers: HTTPFields = [:]) async throws -> TestResponse {
        try await send(.get, path, host: host, headers: headers)
    }

    /// Posts a form; keeps the order of the fields.
    package func post(
        _ path: String, form: KeyValuePairs<String, String>, host: String? = nil, headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        let body = form.map { "\(percentEncoded($0.key))=\(percentEncoded($0.value))" }.joined(separator: "&")
        return try await send(.post, path, host: host, headers: headers, body: body)
    }
}

/// An answer.
package struct TestResponse: Sendable {
    package let status: HTTPResponse.Status
    package let headers: HTTPFields
    package let body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }
}

/// Percent-encodes all but the unreserved characters of RFC 3986.
package func percentEncoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            bytes.append(byte)
        default:
            bytes.append(UInt8(ascii: "%"))
            bytes += Hexadecimal.digits([byte], .upper)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

private actor Collected {
    var bytes: [UInt8] = []
    func append(_ buffer: ByteBuffer) { bytes += Array(buffer.readableBytesView) }
}

private struct BodyCollector: ResponseBodyWriter {
    let collected: Collected

    mutating func write(_ buffer: ByteBuffer) async throws { await collected.append(buffer) }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
