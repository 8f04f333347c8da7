// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import Foundation
import Processes
import StoragePostgreSQL
import TestSupport
import Testing

/// A PostgreSQL database for real servers.
struct ServerDatabase {
    let cluster: PostgreSQLCluster
    let name: String

    /// A new database in the cluster that all tests share, or in another cluster.
    init(in cluster: PostgreSQLCluster? = nil) async throws {
        self.cluster = if let cluster { cluster } else { try await PostgreSQLCluster.shared() }
        name = try await self.cluster.makeDatabase()
    }

    /// The keys of a server's configuration file.
    func keys(
        _ changes: [String: any Sendable] = [:], besides others: [String: any Sendable] = [:]
    ) -> [String: any Sendable] {
        let keys: [String: any Sendable] = [
            "socket": cluster.folder, "name": name, "user": PostgreSQLCluster.superuser, "connections": 4,
        ].merging(changes) { $1 }
        return others.merging(["database": ["postgresql": keys.filter { !($0.value is NoValue) }]]) { $1 }
    }

    /// In place of a key's value, it means that the key is left out.
    struct NoValue: Sendable {}

    /// The configuration with which a test itself reaches the tables in `schema`.
    func configuration(schema: String) -> PostgreSQLConfiguration {
        PostgreSQLConfiguration(
            server: .socket(folder: cluster.folder), database: name, user: PostgreSQLCluster.superuser, schema: schema)
    }

    /// Runs SQL, as an administrator of the database does.
    func run(_ sql: String) async throws {
        try await cluster.query(sql, in: name)
    }
}

extension ServerProcess {
    /// Makes an organisation, a person and a public client, and returns the ids of the organisation and the client.
    func makeDirectory(password: String) throws -> (tenant: String, client: String) {
        let tenant = try create("tenants", ["displayName": "C", "domain": "c.test"])
        _ = try create(
            "tenants/-/users", ["userPrincipalName": "a@c.test", "displayName": "A", "password": password])
        return (tenant, try create("tenants/-/clients", ["displayName": "App", "redirectURIs": ["http://localhost"]]))
    }

    /// Copies into this node's folder what all nodes of a database must have in common.
    func share(with other: ServerProcess) throws {
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        for name in ["ca", "storage.key"] {
            try FileManager.default.copyItem(atPath: other.state + "/" + name, toPath: state + "/" + name)
        }
    }

    /// Sends one request to the main listener, or to that of another node at another address.
    func send(
        _ method: String, _ path: String, host: String = "login.test", at address: String = "127.0.0.1",
        form: [String: String] = [:], bearer: String? = nil, accept: String? = nil
    ) async throws -> ServerAnswer {
        var request = HTTPSClient.Request(method: method, url: "https://\(host):\(port)\(path)")
        if !form.isEmpty {
            let pairs = form.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
            request.headers.append((name: "content-type", value: "application/x-www-form-urlencoded"))
            request.body = Array(pairs.joined(separator: "&").utf8)
        }
        if let bearer { request.headers.append((name: "authorization", value: "Bearer " + bearer)) }
        if let accept { request.headers.append((name: "accept", value: accept)) }
        return try await send(request, to: host, at: address)
    }

    /// Sends a request of an enrolled device to the devices' listener.
    func send(asDevice identity: HTTPSClient.Identity, tenant: String, _ body: [UInt8]) async throws -> ServerAnswer {
        let request = HTTPSClient.Request(
            method: "PUT", url: "https://mdm.test:\(mdmPort)/mdm/\(tenant)", body: body)
        return try await send(request, to: "mdm.test", identity: identity)
    }

    private func send(
        _ request: HTTPSClient.Request, to host: String, at address: String = "127.0.0.1",
        identity: HTTPSClient.Identity? = nil
    ) async throws -> ServerAnswer {
        var configuration = HTTPSClient.Configuration(
            trustRootsPEM: Array(try Data(contentsOf: URL(filePath: state + "/ca/root.pem"))),
            dnsOverride: [host: address])
        configuration.identity = identity
        let client = try HTTPSClient(configuration: configuration)
        let response: HTTPSClient.Response
        do { response = try await client.send(request) } catch {
            await client.shutdown()
            throw error
        }
        await client.shutdown()
        return ServerAnswer(
            status: response.status, body: response.body, retryAfter: response.header("retry-after"))
    }
}

/// The parts of an answer that tests look at.
struct ServerAnswer: Sendable {
    let status: Int
    let body: [UInt8]
    /// The header `Retry-After`.
    let retryAfter: String?

    var text: String { String(decoding: body, as: UTF8.self) }

    /// A text in the body's JSON object; nil if it is missing.
    func text(_ name: String) -> String? {
        (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])?[name] as? String
    }
}
