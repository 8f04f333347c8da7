// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import DeviceHTTPS
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// One walk through all operations of an organisation, through each interface of a real server: the answers are the same, and
/// every act is in the audit log.
@Suite(.timeLimit(.minutes(10))) struct AdministrationAuditTests {
    private enum Interface: String { case socket, https }

    /// What a walk was answered.
    private struct Outcome {
        /// The operation, the status and the answer, without ids and times.
        var answers: [String] = []
        var operations: Set<String> = []
    }

    /// Goes through an interface of a new server.
    private func walk(through interface: Interface) async throws -> Outcome {
        try await Scratch.with { scratch in
            let server = try await AdministeredServer(in: scratch)
            try await AdministrationWalk.prepare(server, in: scratch)
            let token = try await server.token(ofPerson: "admin")
            let admin: IdentityAdmin.User = try server.operate(
                IdentityAdmin.getUser.operation, ["user": "admin@contoso.test"]
            ).decoded()
            let log = Log(server: server)
            _ = try log.newLines()
            var outcome = Outcome()
            let walk = AdministrationWalk { operation, places, query, body in
                switch interface {
                case .socket: try server.operate(operation, places, query: query, body: body)
                case .https: try await server.call(operation, places, query: query, token: token, body: body)
                }
            } visited: { operation, answer in
                outcome.operations.insert(operation.id)
                outcome.answers.append(
                    "\(operation.id) \(answer.status) \(try Self.summary(of: answer, operation))")
                let lines = try log.newLines()
                let actions = Set(lines.map(\.action))
                if operation.auditActions.isEmpty {
                    #expect(actions.isEmpty, "\(operation.id): \(actions)")
                } else {
                    #expect(!actions.isDisjoint(with: operation.auditActions), "\(operation.id): \(actions)")
                    // Sessions end as a consequence of several acts.
                    #expect(actions.subtracting(operation.auditActions).isSubset(of: ["session.end"]), "\(actions)")
                }
                for line in lines {
                    #expect(line.interface == interface.rawValue, "\(operation.id): \(line)")
                    #expect(line.clientAddress == (interface == .https ? "127.0.0.1" : nil), "\(operation.id): \(line)")
                    #expect(line.actor == (interface == .https ? admin.id : "operator"), "\(operation.id): \(line)")
                    #expect(line.correlation != nil)
                }
            }
            try await walk.run()
            return outcome
        }
    }

    @Test
    func `both interfaces answer alike, and each act is in the log with its actor, its interface and its address`()
        async throws
    {
        let (operated, remote) = (try await walk(through: .socket), try await walk(through: .https))
        #expect(operated.answers.count == remote.answers.count)
        // Each interface has a document of its own, and keys that were made at once are in the order of their random ids.
        let differing = ["getOpenAPI ", "rotateSigningKeys ", "listSigningKeys "]
        for (one, other) in zip(operated.answers, remote.answers) where !differing.contains(where: one.hasPrefix) {
            #expect(one == other)
        }
        // The person behind a receipt's pseudonym needs a receipt; ReceiptSubjectTests makes one.
        let missing = AdminOperation.all.filter { $0.access != .serverOnly && !remote.operations.contains($0.id) }
        #expect(missing.map(\.id) == ["resolveReceiptSubject"])
    }

    @Test func `an act through Graph has the interface of Graph in the log`() async throws {
        try await Scratch.with { scratch in
            let server = try await AdministeredServer(in: scratch)
            try server.addPerson("admin", roles: "Global Administrator")
            let client = try server.server.create(
                "tenants/-/clients",
                [
                    "displayName": "Tools", "redirectURIs": ["http://localhost"],
                    "permissions": ["Group.ReadWrite.All"],
                ])
            let signedIn = try await server.server.send(
                "POST", "/\(server.tenant)/oauth2/v2.0/token",
                form: [
                    "grant_type": "password", "client_id": client, "scope": "https://graph.test/.default",
                    "username": "admin@contoso.test", "password": AdministeredServer.password,
                ])
            let token = try #require(signedIn.text("access_token"), "\(signedIn.text)")
            let log = Log(server: server)
            _ = try log.newLines()
            let group = try await server.graph(
                "POST", "/v1.0/groups", token: token,
                body: #"{"displayName":"Ward","mailNickname":"ward","mailEnabled":false,"securityEnabled":true}"#)
            #expect(group.status == 201, "\(group.text)")
            let lines = try log.newLines().filter { $0.action == "group.add" }
            #expect(lines.map(\.interface) == ["graph"])
            #expect(lines.map(\.clientAddress) == ["127.0.0.1"])
        }
    }

    /// Both audit logs of the organisation, as the operator reads them.
    private final class Log: Sendable {
        struct Line: Decodable {
            let position: Int64
            let actor, action: String
            let correlation, clientAddress, interface: String?
        }

        private let server: AdministeredServer
        private let known = Mutex<[String: Int64]>([:])

        init(server: AdministeredServer) { self.server = server }

        /// Returns the lines since the last call.
        func newLines() throws -> [Line] {
            var lines: [Line] = []
            for operation in [
                IdentityAdmin.listAuditEntries.operation, MDMAdmin.listManagementAuditEntries.operation,
            ] {
                let all: [Line] = try server.operate(operation, query: [("count", "10000")]).decoded()
                let last = known.withLock { $0[operation.id] } ?? .min
                lines += all.filter { $0.position > last }
                if let newest = all.last { known.withLock { $0[operation.id] = newest.position } }
            }
            return lines
        }
    }

    // MARK: Answers without ids and times

    private static let logs = [
        "listAuditEntries", "exportAuditEntries", "listManagementAuditEntries", "exportManagementAuditEntries",
        "exportUser",
    ]

    /// Returns an answer without what differs between two servers.
    private static func summary(of answer: InterfaceAnswer, _ operation: AdminOperation) throws -> String {
        // The logs name the callers, who differ.
        guard !logs.contains(operation.id), !answer.body.isEmpty else { return answer.body.isEmpty ? "" : "a log" }
        let value = try JSONReader.read(answer.body, limits: JSONLimits(bytes: 1 << 22, values: 100_000))
        return String(decoding: JSONWriter.write(summary(of: value)), as: UTF8.self)
    }

    private static func summary(of value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members): .object(members.mapValues(summary))
        case .array(let values): .array(values.map(summary))
        case .integer(let number) where number > 1_000_000_000_000: .string("a time")
        case .string(let text) where text.count > 100: .string("a long text")
        case .string(let text):
            .string(
                text.replacing(/[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/, with: "an id")
                    .replacing(/[A-Za-z0-9_-]{24,}/, with: "a digest").replacing(/:\d{5}/, with: ":a port"))
        default: value
        }
    }
}

extension AdministeredServer {
    /// Sends a request to Graph.
    func graph(_ method: String, _ path: String, token: String, body: String) async throws -> InterfaceAnswer {
        var request = HTTPSClient.Request(method: method, url: "https://graph.test:\(server.port)\(path)")
        request.headers = [("authorization", "Bearer \(token)"), ("content-type", "application/json")]
        request.body = Array(body.utf8)
        let client = try HTTPSClient(
            configuration: HTTPSClient.Configuration(
                trustRootsPEM: Array(try Data(contentsOf: URL(filePath: server.state + "/ca/root.pem"))),
                dnsOverride: ["graph.test": "127.0.0.1"]))
        let response = try await client.send(request)
        return InterfaceAnswer(status: response.status, headers: response.headers, body: response.body)
    }
}
