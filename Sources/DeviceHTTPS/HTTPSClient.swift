// SPDX-License-Identifier: Apache-2.0
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import Redaction

/// The device's https client, with its own trust roots, its own name resolution, an optional client certificate, and
/// limits.
///
/// It uses HTTP/1.1, and does not follow redirects or send cookies. A client reuses its connections. Close it with
/// ``shutdown()``.
package final class HTTPSClient: HTTPSending {
    /// A request; `url` must be absolute and https.
    package struct Request: Sendable {
        package var method: String
        package var url: String
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]?

        package init(method: String, url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
        }
    }

    /// An answer, with any status.
    package struct Response: Sendable {
        package let status: Int
        package let headers: [(name: String, value: String)]
        package let body: [UInt8]

        package init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// Returns the first header with this name, ignoring case.
        package func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    private let client: HTTPClient
    private let configuration: Configuration

    /// - Throws: ``HTTPSError`` with `invalidConfiguration` if roots or identity cannot be read.
    package init(configuration: Configuration) throws {
        self.configuration = configuration
        var http = HTTPClient.Configuration(
            tlsConfiguration: try configuration.tls(),
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: TimeAmount(configuration.connectTimeout), read: TimeAmount(configuration.readTimeout)))
        http.httpVersion = .http1Only
        http.connectionPool.retryConnectionEstablishment = configuration.retriesConnection
        http.dnsOverride = configuration.dnsOverride
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: http)
    }

    // The library traps if its client is released without a shutdown. Shutting it down here allows callers to simply
    // drop this client.
    deinit { client.shutdown { _ in } }

    /// Closes every connection. The client cannot be used afterwards.
    package func shutdown() async {
        do { try await client.shutdown() } catch {
            // The client was already shut down, so no connection is open.
        }
    }

    package func send(_ request: Request) async throws -> Response {
        let answer = try await execute(request)
        do {
            let body = try await answer.body.collect(upTo: configuration.maximumResponse)
            return Response(
                status: Int(answer.status.code),
                headers: answer.headers.map { ($0.name, $0.value) },
                body: Array(body.readableBytesView))
        } catch { throw HTTPSError(reading: error) }
    }

    package func download(
        _ url: String, limit: Int, into sink: @Sendable ([UInt8]) async throws -> Void
    ) async throws -> Int {
        let answer = try await execute(Request(method: "GET", url: url))
        guard answer.status.code == 200 else { return Int(answer.status.code) }
        var count = 0
        var pieces = answer.body.makeAsyncIterator()
        while true {
            let piece: ByteBuffer?
            do { piece = try await pieces.next() } catch { throw HTTPSError(reading: error) }
            guard let piece else { return 200 }
            count += piece.readableBytes
            guard count <= limit else { throw HTTPSError(.tooLarge, "more than \(limit) bytes") }
            try await sink(Array(piece.readableBytesView))
        }
    }

    package func listen(
        _ request: Request, into sink: @Sendable ([UInt8]) async throws -> Void
    ) async throws -> Int {
        let answer = try await execute(request)
        guard answer.status.code == 200 else { return Int(answer.status.code) }
        var pieces = answer.body.makeAsyncIterator()
        while true {
            let piece: ByteBuffer?
            do { piece = try await pieces.next() } catch { throw HTTPSError(reading: error) }
            guard let piece else { return 200 }
            try await sink(Array(piece.readableBytesView))
        }
    }

    private func execute(_ request: Request) async throws -> HTTPClientResponse {
        guard request.url.lowercased().hasPrefix("https://") else { throw HTTPSError(.invalidURL, "not an https URL") }
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = .init(rawValue: request.method)
        for header in request.headers { outgoing.headers.add(name: header.name, value: header.value) }
        if let body = request.body { outgoing.body = .bytes(body) }
        do { return try await client.execute(outgoing, timeout: TimeAmount(configuration.totalTimeout)) } catch {
            throw HTTPSError(reading: error)
        }
    }
}
