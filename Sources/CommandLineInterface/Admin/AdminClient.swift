// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import AsyncHTTPClient
package import FoundationEssentials
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// The client of the server's administration, through its socket or over HTTPS.
package struct AdminClient: Sendable {
    private let connection: AdminConnection
    /// Whether warnings are suppressed, because standard error must contain nothing but JSON.
    private let isJSON: Bool

    /// Creates a client of a server's `admin.sock`.
    package init(socket: String, isJSON: Bool = true) {
        (connection, self.isJSON) = (AdminConnection(socket: socket), isJSON)
    }

    /// Creates a client of a server's HTTPS listener.
    package init(session: AdminSession, isJSON: Bool = true) {
        (connection, self.isJSON) = (AdminConnection(session: session), isJSON)
    }

    /// Makes a request and decodes the answer. Fetches all pages of a list.
    ///
    /// - Throws: ``CommandFailure``.
    @discardableResult
    package func call<Reply: Decodable>(_ request: AdminRequest<Reply>) async throws -> Reply {
        let answer = try await reply(to: request)
        let first = try Self.decoded(Reply.self, answer)
        guard let list = first as? any Pages else { return first }
        guard let whole = try await completed(list, of: answer, to: request) as? Reply else { throw Self.unreadable }
        return whole
    }

    /// Makes a request and expects success without a body.
    ///
    /// - Throws: ``CommandFailure``.
    package func call(_ request: AdminRequest<Empty>) async throws { _ = try await reply(to: request) }

    /// Makes a request and returns the document in the answer.
    ///
    /// - Throws: ``CommandFailure``.
    package func document(_ request: AdminRequest<Document>) async throws -> Data {
        Data(try await reply(to: request).body)
    }

    // MARK: - Pages

    /// Adds the pages that follow the first one (RFC 8288).
    private func completed<List: Pages, Reply>(
        _ first: List, of answer: AdminExchange.Reply, to request: AdminRequest<Reply>
    ) async throws -> List {
        var (list, answer) = (first, answer)
        var seen: Set<String> = []
        while let link = NextLink.target(in: answer.headers) {
            // A link that leads elsewhere or back must not keep the command busy, or get its token.
            guard let path = connection.path(of: link), Self.withoutQuery(path) == Self.withoutQuery(request.path),
                seen.insert(path).inserted, seen.count < Self.maximumPages
            else { throw Self.unreadable }
            answer = try await reply(to: request, at: path)
            list.append(page: try Self.decoded(List.self, answer))
        }
        return list
    }

    private static let maximumPages = 10_000

    private static func withoutQuery(_ path: String) -> Substring { path.prefix { $0 != "?" } }

    // MARK: - Exports

    /// Fetches an export, and passes its lines to `body` as they arrive.
    ///
    /// - Returns: the number of lines.
    /// - Throws: ``CommandFailure``, for example if the end of the export is missing.
    package func export(_ request: AdminRequest<Export>, body: ([String]) throws -> Void) async throws -> Int {
        guard let response = try await reply(to: request).rest else { throw Self.incomplete }
        // The latest line is held back, because it may be the end of the export.
        var (rest, last, count): ([UInt8], String?, Int) = ([], nil, 0)
        do {
            for try await piece in response.body {
                rest += piece.readableBytesView
                guard rest.count <= Self.maximumLine else { throw Self.unreadable }
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

    /// The maximum size of a line together with the piece in which it ends.
    private static let maximumLine = 16 << 20

    private static let incomplete = CommandFailure(
        code: "export_incomplete", message: "The export is incomplete, because the server stopped before its end.",
        remedy: "Look at the server's log, and run the command again.")

    // MARK: - One request

    /// Makes a request. Warns if break-glass access is in force.
    ///
    /// - Parameter path: the path and query, if they are not those of the request.
    private func reply<Reply>(
        to call: AdminRequest<Reply>, at path: String? = nil
    ) async throws -> AdminExchange.Reply {
        try check(call.operation)
        try Self.checkNames(in: call)
        let form = call.operation.reply()
        let exchange = AdminExchange(connection: connection, isStreamed: form == .export) { fields in
            guard let until = fields.first(name: IdentityAdmin.breakGlassHeader).flatMap(Int64.init) else { return }
            warnOfBreakGlass(until: until)
        }
        let answer = try await exchange.reply(to: try encoded(call, at: path ?? Self.paged(call)))
        guard form == .nothing || answer.headers.hasType(form == .export ? ExportEnd.mediaType : "application/json")
        else { throw Self.unreadable }
        return answer
    }

    /// Refuses an operation that concerns the whole server, unless this is the client of the server's socket. Every call
    /// does so before it sends anything.
    ///
    /// - Throws: ``CommandFailure`` `admin.socketOnly`.
    package func check(_ operation: AdminOperation) throws {
        guard connection.session != nil, operation.access == .serverOnly else { return }
        throw CommandFailure(
            code: "admin.socketOnly",
            message: "This command concerns the whole server, so it works only on the server.",
            remedy: "Run it on the server's machine, as the server's user or root, without --url and BATON_ADMIN_URL.")
    }

    /// Refuses a name that would make the path another one: an empty name, `.` and `..` (RFC 3986 section 5.2.4).
    private static func checkNames<Reply>(in call: AdminRequest<Reply>) throws {
        for (place, name) in call.places
        where ["", ".", ".."].contains(name) && call.operation.path.contains("{\(place)}") {
            throw CommandFailure(
                code: "name_malformed",
                message: "\(name.isEmpty ? "An empty text" : name) cannot be the name of a \(place).",
                remedy: "Give its name or its id.")
        }
    }

    /// Returns the path of a request, with the largest page if the operation returns pages.
    private static func paged<Reply>(_ call: AdminRequest<Reply>) -> String {
        let name = "limit"
        guard call.operation.query.contains(where: { $0.name == name }), !call.query.contains(where: { $0.0 == name })
        else { return call.path }
        return call.path + (call.query.isEmpty ? "?" : "&") + "\(name)=1000"
    }

    private func encoded<Reply>(_ call: AdminRequest<Reply>, at path: String) throws -> HTTPClientRequest {
        var request = connection.request(for: path)
        request.method = .init(rawValue: call.operation.method.rawValue)
        // With the key, the server carries the request out only once, even if it arrives twice. Through the socket,
        // nothing is sent twice.
        if call.operation.method == .post, connection.session != nil {
            request.headers.add(name: "Idempotency-Key", value: UUID().uuidString)
        }
        if let body = call.body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(Array(try JSONEncoder().encode(body)))
        }
        return request
    }

    private static func decoded<Value: Decodable>(_ type: Value.Type, _ answer: AdminExchange.Reply) throws -> Value {
        do { return try JSONDecoder().decode(type, from: Data(answer.body)) } catch { throw unreadable }
    }

    private static let unreadable = CommandFailure(
        code: "server_reply", message: "The server's answer cannot be read.",
        remedy: "Use baton and baton-server of the same release.")

    /// Warns that break-glass access is in force; only once, however many calls a command makes.
    private func warnOfBreakGlass(until: Int64) {
        guard !isJSON, Self.isWarned.exchange(true, ordering: .relaxed) == false else { return }
        let text = "break-glass access is in force until \(TextTable.time(until)). See: baton admin break-glass list"
        // A warning that cannot be printed must not make the command fail after its work is done.
        try? OutputOptions.print(["warning: " + text], to: STDERR_FILENO)
    }

    private static let isWarned = Atomic(false)
}

/// A list, of which the server returns one page at a time.
private protocol Pages: Decodable {
    mutating func append(page: Self)
}

extension Array: Pages where Element: Decodable {
    mutating func append(page: Self) { self += page }
}
