// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import FoundationEssentials

/// The options of all administrative commands, and the calls that these commands make.
struct AdminOptions: ParsableArguments {
    @OptionGroup var server: AdminServerOptions

    @Option(help: "The tenant's domain or id; - means the only tenant.")
    var tenant = "-"

    @OptionGroup var output: OutputOptions

    /// The client for this command.
    var client: AdminClient {
        get throws { try server.client(tenant: tenant, output) }
    }

    /// Returns the request with this tenant as its `{tenant}`, unless the request already names a tenant.
    func completed<Reply>(_ request: AdminRequest<Reply>) -> AdminRequest<Reply> {
        var request = request
        request.places.merge(["tenant": tenant]) { place, _ in place }
        return request
    }

    /// Makes a request and returns the decoded answer without printing it.
    func call<Reply: Decodable>(_ request: AdminRequest<Reply>) async throws -> Reply {
        try await client.call(completed(request))
    }

    /// Makes a request and expects an empty answer.
    func call(_ request: AdminRequest<Empty>) async throws { try await client.call(completed(request)) }

    /// Makes a request and prints the answer.
    func show<Reply: Codable>(
        _ request: @autoclosure () throws -> AdminRequest<Reply>, lines: (Reply) -> [String]
    ) async throws {
        try await output.run({ try await call(try request()) }, lines: lines)
    }

    /// Fetches a list and prints it as a table.
    func list<Item: Codable>(
        _ request: AdminRequest<[Item]>, _ header: [String], row: (Item) -> [String]
    ) async throws {
        try await show(request) { items in TextTable.lines(header, items.map(row)) }
    }

    /// Makes a request, expects an empty answer, and prints `done`.
    func change(_ request: @autoclosure () throws -> AdminRequest<Empty>, done: String) async throws {
        try await output.run({ try await call(try request()) }, done: done)
    }
}
