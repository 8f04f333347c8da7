// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1

/// The client of the server's `admin.sock`.
struct AdminClient: Sendable {
    let socket: String

    private static let maximumReply = 64 << 20
    /// The only HTTP client of the process. If nobody listens on the socket, a call fails at once instead of retrying
    /// for a minute.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Calls `path` and decodes the answer.
    ///
    /// - Throws: ``CommandFailure``.
    func call<Reply: Decodable>(_ method: String, _ path: String, body: (any Encodable & Sendable)? = nil) async throws
        -> Reply
    {
        let bytes = try await send(method, path, body: body)
        do { return try JSONDecoder().decode(Reply.self, from: bytes) } catch {
            throw CommandFailure(
                code: "server_reply", message: "The server's answer cannot be read.",
                remedy: "Use baton and baton-server of the same release.")
        }
    }

    /// Calls `path` and expects success without a body.
    ///
    /// - Throws: ``CommandFailure``.
    func call(_ method: String, _ path: String, body: (any Encodable & Sendable)? = nil) async throws {
        _ = try await send(method, path, body: body)
    }

    /// Calls `path` and returns the answer's bytes.
    ///
    /// - Throws: ``CommandFailure``.
    @discardableResult
    func send(_ method: String, _ path: String, body: (any Encodable & Sendable)? = nil) async throws -> Data {
        let host = socket.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isLetter || character.isNumber ? String(character) : Self.percent(byte)
        }.joined()
        var request = HTTPClientRequest(url: "http+unix://\(host)\(path)")
        request.method = .init(rawValue: method)
        // A socket's path provides no host, and a request must name one (RFC 9112 section 3.2).
        request.headers.add(name: "Host", value: "localhost")
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(Array(try JSONEncoder().encode(body)))
        }
        return try await answer(to: request)
    }

    private func answer(to request: HTTPClientRequest) async throws -> Data {
        let status: UInt
        let body: ByteBuffer
        do {
            let response = try await Self.http.execute(request, timeout: .seconds(60))
            status = response.status.code
            body = try await response.body.collect(upTo: Self.maximumReply)
        } catch {
            throw CommandFailure(
                code: "server_unreachable", message: "The server does not answer on \(socket).",
                remedy: "Start baton-server, run as its user, or give its state folder with --server.",
                exitCode: .unreachable)
        }
        let bytes = Data(body.readableBytesView)
        guard (200...299).contains(status) else { throw Self.refusal(status, bytes) }
        return bytes
    }

    private static func refusal(_ status: UInt, _ bytes: Data) -> CommandFailure {
        guard let failure = try? JSONDecoder().decode(AdminFailure.self, from: bytes) else {
            return CommandFailure(
                code: "server_status_\(status)", message: "The server answered with status \(status).",
                remedy: "Look at the server's log.")
        }
        return CommandFailure(code: failure.error.code, message: failure.error.message, remedy: failure.error.remedy)
    }

    private static func percent(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.count == 1 ? "0" : "") + digits
    }
}
