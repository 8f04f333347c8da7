// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import Foundation
import Glibc
import OAuth
import Processes
import Synchronization
import TestSupport
import Testing

/// Three nodes behind HAProxy, on a PostgreSQL server of their own. Each node reaches PostgreSQL through a relay, which
/// can cut its connections.
final class FaultCluster: Sendable {
    /// A node, and what a test does to it.
    final class Node: Sendable {
        let index: Int
        let server: ServerProcess
        let link: CommitCutter
        /// Whether a fault of this node has begun and is not over.
        let isBusy = Mutex(false)

        init(index: Int, server: ServerProcess, link: CommitCutter) {
            (self.index, self.server, self.link) = (index, server, link)
        }

        /// Restarts the node after its death, with further attempts while it cannot start because PostgreSQL is down.
        func restart() async throws {
            for _ in 1..<20 {
                do { return try await server.start() } catch let problem as TestProblem
                    where problem.description.contains("server.database")
                {}
            }
            try await server.start()
        }
    }

    static let domain = "ward.test"
    static let password = "correct horse battery"
    static let redirect = "msauth.org.baton.test://auth"
    static let nodeCount = 3
    static let names = [
        "login": "login.baton.test", "deviceRegistration": "enterpriseregistration.baton.test",
        "graph": "graph.baton.test", "mdm": "mdm.baton.test",
    ]

    let postgresql: PostgreSQLCluster
    let nodes: [Node]
    let port: Int
    let scratch: Scratch
    let roots: [UInt8]
    let tenant: String
    /// The id of an application.
    let app: String

    init(in scratch: Scratch) async throws {
        self.scratch = scratch
        // The WAL writer hardly ever writes, so whatever a commit has not written itself is lost if PostgreSQL is killed.
        postgresql = try await PostgreSQLCluster.start(["wal_writer_delay=10s"], in: scratch)
        let database = try await ServerDatabase(in: postgresql)
        let ports = try (0..<5).map { _ in try LoadBalancerProcess.freePort() }
        port = ports[0]
        var nodes: [Node] = []
        for index in 0..<Self.nodeCount {
            let folder = scratch.path("postgresql-\(index)")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let settings: [String: any Sendable] = [
                "names": Self.names, "address": Self.address(of: index), "port": port, "mdmPort": ports[1],
                "loadBalancer": ["addresses": ["127.0.0.1"]] as [String: any Sendable],
                "health": ["address": Self.address(of: index), "port": ports[2 + index]] as [String: any Sendable],
                "connectionsPerAddress": 1000,
            ]
            let link = try CommitCutter(cluster: postgresql, folder: folder, in: scratch)
            let server = try ServerProcess(
                database.keys(["socket": folder, "connections": 4], besides: settings), in: scratch)
            if let first = nodes.first { try server.share(with: first.server) }
            try await server.start()
            nodes.append(Node(index: index, server: server, link: link))
        }
        self.nodes = nodes
        _ = try await LoadBalancerProcess(
            nodes.map {
                .init(
                    address: Self.address(of: $0.index), port: ports[0], mdmPort: ports[1],
                    healthPort: ports[2 + $0.index])
            }, ports: (port, ports[1]), in: scratch)
        let first = nodes[0].server
        roots = Array(try Data(contentsOf: URL(filePath: first.state + "/ca/root.pem")))
        tenant = try first.create("tenants", ["displayName": "Ward", "domain": Self.domain])
        app = try first.create(
            "tenants/-/clients", ["displayName": "App", "redirectURIs": ["http://localhost", Self.redirect]])
        _ = try add(user: "carol")
        let role = "/identity/tenants/-/roles/Cloud%20Device%20Administrator/members/carol@\(Self.domain)"
        #expect(try first.administer("PUT", role).status == 204)
    }

    /// Adds a person with the usual password. Returns their login name.
    func add(user: String) throws -> String {
        let name = "\(user)@\(Self.domain)"
        _ = try nodes[0].server.create(
            "tenants/-/users", ["userPrincipalName": name, "displayName": user, "password": Self.password])
        return name
    }

    /// The address at which a node listens. HAProxy is at 127.0.0.1.
    private static func address(of index: Int) -> String { "127.0.0.\(index + 2)" }

    var loginURL: String { "https://login.baton.test:\(port)" }
    var registrationURL: String { "https://enterpriseregistration.baton.test:\(port)" }
    var graphURL: String { "https://graph.baton.test:\(port)" }

    /// A client with a real device's limits, through HAProxy: to any node, or only to the node `index`.
    func client(
        onlyTo index: Int? = nil, identity: HTTPSClient.Identity? = nil, readTimeout: Duration = .seconds(15)
    ) throws -> HTTPSClient {
        let address = index.map(LoadBalancerProcess.address(ofNode:)) ?? "127.0.0.1"
        return try HTTPSClient(
            configuration: .init(
                trustRootsPEM: roots,
                dnsOverride: Dictionary(uniqueKeysWithValues: Self.names.values.map { ($0, address) }),
                identity: identity, readTimeout: readTimeout))
    }

    /// Makes an administrator's call at a node.
    func administer(
        _ method: String, _ path: String, _ body: String = "", at node: Int
    ) async -> Outcome<String> {
        let server = nodes[node].server
        do {
            let answer = try await blocking { try server.administer(method, path, body) }
            switch answer.status {
            case 200..<300: return .done(answer.body)
            case 500...: return .unknown("status \(answer.status)")
            default: return .refused("status \(answer.status): \(answer.body)")
            }
        } catch { return .unknown("\(error)") }
    }

    /// Reads with an administrator's call, which must succeed.
    func read<Value: Decodable>(_ path: String, at node: Int = 0, as type: Value.Type = Value.self) async throws
        -> Value
    {
        let answer = await administer("GET", path, at: node)
        guard let body = answer.value else { throw TestProblem("\(path): \(answer)") }
        return try JSONDecoder().decode(Value.self, from: Data(body.utf8))
    }
}

extension Outcome {
    init(catching body: () async throws -> Value) async {
        do { self = .done(try await body()) } catch let error as OAuthError {
            switch error.code {
            case .serverError, .temporarilyUnavailable: self = .unknown(error.wireDescription)
            default: self = .refused("\(error.wireDescription) \(error.suberror ?? "")")
            }
        } catch let refusal as RequestRefusal { self = .refused(refusal.text) } catch { self = .unknown("\(error)") }
    }
}

/// The server's answer says that it does not do what was asked.
struct RequestRefusal: Error {
    let text: String

    /// - Throws: this error if the status is a refusal, ``TestProblem`` if it reports an error or an overload of the
    ///   server.
    static func check(_ response: HTTPSClient.Response, is status: Int, _ what: String) throws {
        guard response.status != status else { return }
        let text = "\(what): status \(response.status) \(String(decoding: response.body.prefix(300), as: UTF8.self))"
        if response.status >= 500 || response.status == 429 { throw TestProblem(text) }
        throw RequestRefusal(text: text)
    }
}

/// Random numbers that a seed determines (SplitMix64).
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func duration(_ range: ClosedRange<Int>) -> Duration { .milliseconds(Int.random(in: range, using: &self)) }
}
