// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import FoundationEssentials

/// The options of all administrative commands, and the calls that these commands make.
struct AdminOptions: ParsableArguments {
    @Option(help: "The server's state folder (default: BATON_SERVER, else /var/lib/baton-server).")
    var server: String?

    @Option(help: "The tenant's domain or id; - means the only tenant.")
    var tenant = "-"

    @OptionGroup var output: OutputOptions

    var client: AdminClient { Self.client(server, output) }

    /// Returns the client for the server with this state folder; nil means the default folder.
    static func client(_ server: String?, _ output: OutputOptions) -> AdminClient {
        let folder = server ?? ProcessInfo.processInfo.environment["BATON_SERVER"] ?? "/var/lib/baton-server"
        return AdminClient(socket: folder + "/admin.sock", isJSON: output.json)
    }

    /// Returns the path with this tenant's id and `places` filled in, and with the query.
    func filled(
        _ path: some PathTemplate, _ places: [String: String], query: [(String, String)] = []
    ) -> String {
        path.filled(places.merging(["tenant": tenant]) { place, _ in place }, query: query)
    }

    /// Calls `path` and returns the decoded answer without printing it.
    func call<Reply: Decodable>(
        _ method: String, _ path: some PathTemplate, places: [String: String] = [:],
        query: [(String, String)] = [], body: (any Encodable & Sendable)? = nil
    ) async throws -> Reply {
        try await client.call(method, filled(path, places, query: query), body: body)
    }

    /// Calls `path` and returns the answer's text.
    func text(_ method: String, _ path: some PathTemplate) async throws -> String {
        String(decoding: try await client.send(method, filled(path, [:])), as: UTF8.self)
    }

    /// Fetches the value at `path` and prints it.
    func show<Reply: Codable>(
        _ path: some PathTemplate, _ places: [String: String] = [:], query: [(String, String)] = [],
        lines: (Reply) -> [String]
    ) async throws {
        try await output.run({ try await call("GET", path, places: places, query: query) }, lines: lines)
    }

    /// Fetches the list at `path` and prints it as a table.
    func list<Item: Codable>(
        _ path: some PathTemplate, query: [(String, String)] = [], _ header: [String], row: (Item) -> [String]
    ) async throws {
        try await show(path, query: query) { (items: [Item]) in TextTable.lines(header, items.map(row)) }
    }

    /// Sends `body` to `path` and prints the answer.
    func send<Reply: Codable>(
        _ method: String, _ path: some PathTemplate, places: [String: String] = [:], query: [(String, String)] = [],
        body: () throws -> (any Encodable & Sendable)? = { nil }, lines: (Reply) -> [String]
    ) async throws {
        try await output.run(
            { try await call(method, path, places: places, query: query, body: try body()) }, lines: lines)
    }

    /// Sends `body` to `path` and expects an empty answer.
    func call(
        _ method: String, _ path: some PathTemplate, places: [String: String],
        body: (any Encodable & Sendable)? = nil
    ) async throws {
        try await client.call(method, filled(path, places), body: body)
    }

    /// Sends `body` to `path`, expects an empty answer, and prints `done`.
    func change(
        _ method: String, _ path: some PathTemplate, places: [String: String],
        body: () throws -> (any Encodable & Sendable)? = { nil }, done: String
    ) async throws {
        try await output.run({ try await client.call(method, filled(path, places), body: try body()) }, done: done)
    }
}
