// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import AsyncHTTPClient
internal import Encodings
package import FoundationEssentials
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// The client of the server's `admin.sock`.
package struct AdminClient: Sendable {
    package let socket: String
    /// Whether warnings are suppressed, because standard error must contain nothing but JSON.
    private let isJSON: Bool

    private static let maximumReply = 64 << 20
    /// The only HTTP client of the process. If nobody listens on the socket, a call fails at once instead of retrying
    /// for a minute.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    package init(socket: String, isJSON: Bool = true) {
        (self.socket, self.isJSON) = (socket, isJSON)
    }

    /// Makes a request and decodes the answer.
    ///
    /// - Throws: ``CommandFailure``.
    @discardableResult
    package func call<Reply: Decodable>(_ request: AdminRequest<Reply>) async throws -> Reply {
        let bytes = try await bytes(request)
        do { return try JSONDecoder().decode(Reply.self, from: bytes) } catch {
            throw CommandFailure(
                code: "server_reply", message: "The server's answer cannot be read.",
                remedy: "Use baton and baton-server of the same release.")
        }
    }

    /// Makes a request and expects success without a body.
    ///
    /// - Throws: ``CommandFailure``.
    package func call(_ request: AdminRequest<Empty>) async throws { _ = try await bytes(request) }

    /// Makes a request and returns the document in the answer.
    ///
    /// - Throws: ``CommandFailure``.
    package func document(_ request: AdminRequest<Document>) async throws -> Data { try await bytes(request) }

    private func bytes<Reply>(_ request: AdminRequest<Reply>) async throws -> Data {
        let response = try await answer(to: try encoded(request))
        do { return Data((try await response.body.collect(upTo: Self.maximumReply)).readableBytesView) } catch {
            throw unreachable
        }
    }

    /// Fetches an export, and passes its lines to `body` as they arrive.
    ///
    /// - Returns: the number of lines.
    /// - Throws: ``CommandFailure``, for example if the end of the export is missing.
    package func export(_ request: AdminRequest<Export>, body: ([String]) throws -> Void) async throws -> Int {
        let response = try await answer(to: try encoded(request))
        // The latest line is held back, because it may be the end of the export.
        var (rest, last, count): ([UInt8], String?, Int) = ([], nil, 0)
        do {
            for try await piece in response.body {
                rest += piece.readableBytesView
                var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                rest = lines.popLast().map(Array.init) ?? []
                guard !lines.isEmpty else { continue }
                let texts = [last].compactMap(\.self) + lines.map { String(decoding: $0, as: UTF8.self) }
                last = texts.last
                count += texts.count - 1
                try body(Array(texts.dropLast()))
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw Self.incomplete
        }
        let end = last.flatMap { try? JSONDecoder().decode(ExportEnd.self, from: Data($0.utf8)) }
        guard rest.isEmpty, end?.end == count else { throw Self.incomplete }
        return count
    }

    private static let incomplete = CommandFailure(
        code: "export_incomplete", message: "The export is incomplete, because the server stopped before its end.",
        remedy: "Look at the server's log, and run the command again.")

    private func encoded<Reply>(_ call: AdminRequest<Reply>) throws -> HTTPClientRequest {
        let host = socket.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isLetter || character.isNumber ? String(character) : Self.percent(byte)
        }.joined()
        var request = HTTPClientRequest(url: "http+unix://\(host)\(call.path)")
        request.method = .init(rawValue: call.operation.method.rawValue)
        // A socket's path provides no host, and a request must name one (RFC 9112 section 3.2).
        request.headers.add(name: "Host", value: "localhost")
        if let body = call.body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(Array(try JSONEncoder().encode(body)))
        }
        return request
    }

    /// Sends a request. Warns if break-glass access is in force.
    private func answer(to request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let response: HTTPClientResponse
        let refusal: Data?
        do {
            response = try await Self.http.execute(request, timeout: .seconds(60))
            let isRefused = !(200...299).contains(response.status.code)
            refusal =
                isRefused ? Data((try await response.body.collect(upTo: Self.maximumReply)).readableBytesView) : nil
        } catch {
            throw unreachable
        }
        if let until = response.headers.first(name: IdentityAdmin.breakGlassHeader).flatMap(Int64.init) {
            warnOfBreakGlass(until: until)
        }
        if let refusal { throw Self.refusal(response.status.code, refusal) }
        return response
    }

    /// Warns that break-glass access is in force; only once, however many calls a command makes.
    private func warnOfBreakGlass(until: Int64) {
        guard !isJSON, Self.isWarned.exchange(true, ordering: .relaxed) == false else { return }
        let text = "break-glass access is in force until \(TextTable.time(until)). See: baton admin break-glass list"
        // A warning that cannot be printed must not make the command fail after its work is done.
        try? OutputOptions.print(["warning: " + text], to: STDERR_FILENO)
    }

    private static let isWarned = Atomic(false)

    private var unreachable: CommandFailure {
        CommandFailure(
            code: "server_unreachable", message: "The server does not answer on \(socket).",
            remedy: "Start baton-server, run as its user, or give its state folder with --server.",
            exitCode: .unreachable)
    }

    private static func refusal(_ status: UInt, _ bytes: Data) -> CommandFailure {
        guard let failure = try? JSONDecoder().decode(AdminFailure.self, from: bytes) else {
            return CommandFailure(
                code: "server_status_\(status)", message: "The server answered with status \(status).",
                remedy: "Look at the server's log.")
        }
        let reason = failure.error
        var refused = CommandFailure(code: reason.code, message: reason.message, remedy: reason.remedy)
        (refused.candidates, refused.moreCandidates) = (reason.candidates, reason.moreCandidates)
        return refused
    }

    private static func percent(_ byte: UInt8) -> String { "%" + Hexadecimal.text([byte], .upper) }
}
