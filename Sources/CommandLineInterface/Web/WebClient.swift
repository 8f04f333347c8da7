// SPDX-License-Identifier: Apache-2.0
internal import AsyncHTTPClient
internal import FoundationEssentials
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// An HTTP/1.1 client with limits. It follows no redirects and sends no cookies.
package final class WebClient: Sendable {
    /// A complete answer, with any status.
    struct Reply: Sendable {
        let status: Int
        let headers: HTTPHeaders
        var body: [UInt8]
    }

    private let client: HTTPClient

    /// - Parameters:
    ///   - roots: the file of the only trusted certificates, in PEM format; nil trusts the system's.
    ///   - addresses: host name → address, used instead of the resolver. The certificate is still checked against the
    ///     name.
    /// - Throws: ``CommandFailure`` `ca_unreadable`.
    package convenience init(trusting roots: String?, resolving addresses: [String: String] = [:]) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let roots { tls.trustRoots = .certificates(try Self.certificates(roots)) }
        self.init(tls, resolving: addresses)
    }

    /// Creates a client for requests without TLS, over Unix sockets.
    convenience init() { self.init(nil, resolving: [:]) }

    private init(_ tls: TLSConfiguration?, resolving addresses: [String: String]) {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(10), read: .seconds(60)))
        configuration.httpVersion = .http1Only
        configuration.dnsOverride = addresses
        // If nobody listens, a request fails at once instead of retrying for a minute.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    // The library traps if its client is released without a shutdown.
    deinit { client.shutdown { _ in } }

    /// Sends a request and returns the answer, whose body has not been read yet.
    ///
    /// - Throws: ``WebFailure``, or `CancellationError`.
    func open(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        try await reporting { try await client.execute(request, timeout: .seconds(60)) }
    }

    /// Reads the body of an answer.
    ///
    /// - Parameter limit: the maximum number of bytes.
    /// - Throws: ``WebFailure``, or `CancellationError`.
    func body(of response: HTTPClientResponse, limit: Int) async throws -> [UInt8] {
        try await reporting {
            try await within(.seconds(120)) {
                let body = try await response.body.collect(upTo: limit)
                try Task.checkCancellation()
                return Array(body.readableBytesView)
            }
        }
    }

    /// Sends a request and reads the whole answer.
    ///
    /// - Throws: ``WebFailure``, or `CancellationError`.
    func send(_ request: HTTPClientRequest, limit: Int) async throws -> Reply {
        let response = try await open(request)
        return Reply(
            status: Int(response.status.code), headers: response.headers,
            body: try await body(of: response, limit: limit))
    }

    private func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch {
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
            throw WebFailure(reading: error)
        }
    }

    private static func certificates(_ path: String) throws -> [NIOSSLCertificate] {
        let limit = 1 << 20
        guard let content = FileManager.default.contents(atPath: path), content.count <= limit,
            let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(content)), !certificates.isEmpty
        else {
            throw CommandFailure(
                code: "ca_unreadable", message: "\(path) contains no certificate that can be read.",
                remedy: "Name a file with certificates in PEM format, such as the server's ca/root.pem.")
        }
        return certificates
    }
}

extension WebClient.Reply {
    /// Whether the body has this media type (RFC 9110 section 8.3), whatever its parameters.
    func hasType(_ type: String) -> Bool { headers.hasType(type) }
}

extension HTTPHeaders {
    /// Whether `Content-Type` is this media type (RFC 9110 section 8.3), whatever its parameters.
    func hasType(_ type: String) -> Bool {
        let essence = first(name: "Content-Type")?.prefix { $0 != ";" }.lowercased()
        return essence?.split(separator: " ").joined() == type
    }
}
