// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import Foundation
import MDMProtocol
import Processes
import Redaction
import TestSupport
import Testing

/// The real server while its PostgreSQL database cannot be used, and afterwards.
@Suite(.timeLimit(.minutes(10))) struct OutageTests {
    static let password = "correct horse battery"
    /// Lets the tests get tokens without a browser.
    static let settings: [String: any Sendable] = ["compatibility": ["passwordGrant": true]]

    /// A server with a signed-in person and the identity of a device, and the ways to ask each listener.
    private struct Asked {
        let server: ServerProcess
        let health: UInt16
        let tenant: String
        let client: String
        let device: HTTPSClient.Identity
        let access: String
        let refresh: String

        init(_ server: ServerProcess, health: UInt16) async throws {
            (self.server, self.health) = (server, health)
            (tenant, client) = try server.makeDirectory(password: OutageTests.password)
            let made = try await server.send(
                "POST", "/\(tenant)/oauth2/v2.0/token",
                form: [
                    "grant_type": "password", "client_id": client, "username": "a@c.test",
                    "password": OutageTests.password, "scope": "openid offline_access User.Read",
                ])
            access = try #require(made.text("access_token"), "\(made.text)")
            refresh = try #require(made.text("refresh_token"))
            let enrollment = try server.administer("POST", "/mdm/tenants/-/enrollments", #"{"name":"tablet"}"#)
            let reply = try #require(
                try JSONSerialization.jsonObject(with: Data(enrollment.body.utf8)) as? [String: Any])
            let text = try #require(reply["profile"] as? String)
            let profile = try #require(Data(base64Encoded: text))
            device = try #require(
                try Profile(xml: Array(profile)).payloads.compactMap { payload -> HTTPSClient.Identity? in
                    guard case .identity(let identity) = payload.content else { return nil }
                    let opened = try PKCS12(
                        container: identity.container.exposed, password: identity.password.exposed)
                    return HTTPSClient.Identity(certificates: opened.certificates, privateKey: opened.privateKey)
                }.first)
        }

        /// The answers of both TLS listeners, one for each of their protocols.
        func answers() async throws -> [String: ServerAnswer] {
            let page =
                "/\(tenant)/oauth2/v2.0/authorize?client_id=\(client)&response_type=code&scope=openid"
                + "&redirect_uri=http%3A%2F%2Flocalhost&code_challenge=\(String(repeating: "x", count: 43))"
                + "&code_challenge_method=S256"
            return [
                "token": try await server.send(
                    "POST", "/\(tenant)/oauth2/v2.0/token",
                    form: ["grant_type": "refresh_token", "client_id": client, "refresh_token": refresh]),
                "page": try await server.send("GET", page, accept: "text/html"),
                "graph": try await server.send("GET", "/v1.0/me", host: "graph.test", bearer: access),
                "registration": try await server.send("GET", "/\(tenant)/Discover", host: "drs.test"),
                "mdm": try await server.send(
                    asDevice: device, tenant: tenant,
                    try CommandResult(udid: "UDID-1", status: .idle).propertyList.xml()),
            ]
        }

        /// Checks that every listener answers, in the form of its protocol, that the service is temporarily
        /// unavailable.
        func refuses() async throws {
            let answers = try await answers()
            for (name, answer) in answers {
                #expect(answer.status == 503 && answer.retryAfter == "5", "\(name): \(answer)")
            }
            #expect(answers["token"]?.text("error") == "temporarily_unavailable")
            #expect(answers["page"]?.text.contains("AADSTS90033") == true)
            #expect(answers["graph"]?.text.contains(#""code":"Service_Unavailable""#) == true)
            #expect(answers["registration"]?.text("code") == "temporarily_unavailable")
            for path in ["/identity/tenants/c.test/users", "/mdm/tenants/-/devices"] {
                let answer = try server.administer("GET", path)
                #expect(answer.status == 503 && answer.body.contains("server.database.unavailable"), "\(answer)")
            }
            #expect(try HealthRequest("/healthz", health).status == 200)
        }
    }

    private func withServer(
        on cluster: PostgreSQLCluster, _ changes: [String: any Sendable] = [:], in scratch: Scratch
    ) async throws -> Asked {
        let health = try #require(FreePort.tcp(in: FreePort.ofTests))
        let database = try await ServerDatabase(in: cluster)
        let server = try ServerProcess(
            database.keys(changes, besides: Self.settings.merging(["health": ["port": Int(health)]]) { $1 }),
            in: scratch)
        try await server.start()
        return try await Asked(server, health: health)
    }

    @Test func `while PostgreSQL is down every listener answers 503, and then serves again without a restart`()
        async throws
    {
        try await Scratch.with { scratch in
            let cluster = try await PostgreSQLCluster.start(in: scratch)
            let asked = try await withServer(on: cluster, in: scratch)
            for _ in 1...2 {
                try await cluster.kill()
                try await asked.refuses()
                #expect(try HealthRequest("/readyz", asked.health).status == 503)
                try await cluster.start()
            }
            let after = try await asked.answers()
            // The refresh token and the session have outlived the outage.
            #expect(after["token"]?.status == 200 && after["graph"]?.status == 200)
            #expect((after["page"]?.status ?? 500) < 500 && after["registration"]?.status == 200)
            // The device has not checked in yet.
            #expect(after["mdm"]?.status == 403)
            try await asked.server.untilReady(asked.health)
            let log = try asked.server.log()
            #expect(log.contains("PostgreSQL cannot be reached") && !log.contains(Self.password))
            #expect(try await asked.server.end(by: SIGTERM) == 0)
        }
    }

    @Test func `a server that loses PostgreSQL at any moment of its start says so and exits`() async throws {
        try await Scratch.with { scratch in
            let cluster = try await PostgreSQLCluster.start(in: scratch)
            let folder = scratch.path("relay")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let link = try CommitCutter(cluster: cluster, folder: folder, in: scratch)
            let database = try await ServerDatabase(in: cluster)
            let server = try ServerProcess(database.keys(["socket": folder], besides: Self.settings), in: scratch)
            try await server.start()
            #expect(try await server.end(by: SIGTERM) == 0)
            let before = link.messages
            try await server.start()
            let needed = link.messages - before
            #expect(try await server.end(by: SIGTERM) == 0)
            var moments = 0
            for count in stride(from: 1, to: needed, by: max(1, needed / 12)) {
                link.loseServer(afterMessages: count)
                // On a busy machine, the server sends many further messages before it reports that it is ready.
                guard let outcome = try await server.failOrStart() else { break }
                moments += 1
                #expect(
                    outcome.code == 1 && outcome.text.contains("[server.database.unusable]"),
                    "\(count) of \(needed): \(outcome.text)")
                link.loseServer(afterMessages: nil)
            }
            #expect(moments > 3)
        }
    }

    /// Makes groups until one is refused.
    private func makeGroups(_ prefix: String, at server: ServerProcess) async throws -> MadeGroups {
        var made = MadeGroups()
        for number in 0..<5000 where made.refused.isEmpty {
            let name = "\(prefix) \(number) " + String(repeating: "x", count: 100)
            let answer = try await blocking {
                try server.administer("POST", "/identity/tenants/-/groups", #"{"displayName":"\#(name)"}"#)
            }
            if answer.status == 201 { made.acknowledged.insert(name) } else { made.refused[name] = answer.status }
            #expect(
                answer.status == 201
                    || answer.status == 503 && answer.body.contains("server.database.unavailable"), "\(answer)")
        }
        #expect(!made.refused.isEmpty)
        return made
    }

    private func groups(at server: ServerProcess) throws -> Set<String> {
        struct Group: Decodable { let displayName: String }
        let answer = try server.administer("GET", "/identity/tenants/-/groups")
        #expect(answer.status == 200, "\(answer)")
        return Set(try JSONDecoder().decode([Group].self, from: Data(answer.body.utf8)).map(\.displayName))
    }

    @Test func `a full disk of PostgreSQL refuses writes, loses none, and leaves reads alone`() async throws {
        try await Scratch.with { scratch in
            let cluster = try await PostgreSQLCluster.start(onSmallDisk: .data(megabytes: 160), in: scratch)
            let disk = try #require(cluster.disk)
            let asked = try await withServer(on: cluster, in: scratch)
            let server = asked.server
            try disk.fill()

            let acknowledged = try await makeGroups("group", at: server).acknowledged
            try await server.logs("the server's disk is full")
            #expect(try groups(at: server) == acknowledged)
            let me = try await server.send("GET", "/v1.0/me", host: "graph.test", bearer: asked.access)
            #expect(me.status == 200)
            #expect(try HealthRequest("/readyz", asked.health).status == 200)

            try disk.free()
            let last = try server.administer("POST", "/identity/tenants/-/groups", #"{"displayName":"last"}"#)
            #expect(last.status == 201, "\(last)")
            #expect(try groups(at: server) == acknowledged.union(["last"]))
            #expect(try await asked.answers()["token"]?.status == 200)
            // Nothing acknowledged was lost, even after a crash.
            try await cluster.kill()
            try await cluster.start()
            #expect(try groups(at: server) == acknowledged.union(["last"]))
            #expect(try await server.end(by: SIGTERM) == 0)
        }
    }

    @Test func `without room for its log PostgreSQL stops, and nothing that was acknowledged is lost`() async throws {
        try await Scratch.with { scratch in
            let cluster = try await PostgreSQLCluster.start(onSmallDisk: .log(megabytes: 96), in: scratch)
            let disk = try #require(cluster.disk)
            let asked = try await withServer(on: cluster, in: scratch)
            let server = asked.server
            try disk.fill()

            let made = try await withThrowingTaskGroup(of: MadeGroups.self) { group in
                for writer in 0..<4 { group.addTask { try await makeGroups("group \(writer)", at: server) } }
                group.addTask {
                    // Each call makes the log need another segment, as 16 MB of writes would. There is room only for
                    // segments that exist already. The server may end during a call.
                    for _ in 0..<8 { try? await cluster.query("SELECT pg_switch_wal()") }
                    return MadeGroups()
                }
                return try await group.reduce(into: MadeGroups()) { $0.add($1) }
            }
            try await cluster.ends()
            #expect(try cluster.log().contains("PANIC") && cluster.log().contains("No space left on device"))
            try await asked.refuses()
            #expect(try HealthRequest("/readyz", asked.health).status == 503)
            // Without room, PostgreSQL cannot be started either.
            await #expect(throws: TestProblem.self) { try await cluster.start() }
            try await asked.refuses()

            try disk.free()
            try await cluster.start()
            let found = try groups(at: server)
            #expect(made.acknowledged.subtracting(found).isEmpty)
            // A refused group may exist if PostgreSQL stopped during its commit.
            #expect(found.subtracting(made.acknowledged).isSubset(of: made.refused.keys))
            let last = try server.administer("POST", "/identity/tenants/-/groups", #"{"displayName":"last"}"#)
            #expect(last.status == 201, "\(last)")
            let after = try await asked.answers()
            #expect(after["token"]?.status == 200 && after["graph"]?.status == 200)
            try await server.untilReady(asked.health)
            #expect(try await server.end(by: SIGTERM) == 0)
        }
    }

    @Test func `a database is used over verified TLS only, at the start and later`() async throws {
        try await Scratch.with { scratch in
            let files = try await DatabaseCertificates(in: scratch)
            let (port, health) = (
                try #require(FreePort.tcp(in: FreePort.ofTests)), try #require(FreePort.tcp(in: FreePort.ofTests))
            )
            let cluster = try await PostgreSQLCluster.start(tcpPort: port, in: scratch)
            let database = try await ServerDatabase(in: cluster)
            try await database.run(
                """
                CREATE ROLE guarded LOGIN PASSWORD 'canary-right';
                GRANT CREATE ON DATABASE \(database.name) TO guarded
                """)
            let password = try scratch.write("canary-right\n", to: "password")
            func server(_ host: String, _ root: String) throws -> ServerProcess {
                let changes: [String: any Sendable] = [
                    "socket": ServerDatabase.NoValue(), "host": host, "port": Int(port),
                    "rootCertificates": scratch.path(root), "user": PostgreSQLCluster.guarded,
                    "passwordFile": password,
                ]
                let others: [String: any Sendable] = ["health": ["port": Int(health)], "logLevel": "trace"]
                return try ServerProcess(
                    database.keys(changes, besides: Self.settings.merging(others) { $1 }), in: scratch)
            }
            func refusal(_ host: String, _ root: String) async throws -> String {
                let outcome = try await server(host, root).fail()
                #expect(outcome.code == 1 && outcome.text.contains("[server.database.unusable]"), "\(outcome.text)")
                #expect(!outcome.text.contains("canary"), "\(outcome.text)")
                return outcome.text
            }
            #expect(try await refusal("localhost", "root.crt").contains("SSL"))
            try await files.serve("expired", on: cluster)
            #expect(try await refusal("localhost", "root.crt").contains("certificate verify failed"))
            try await files.serve("good", on: cluster)
            #expect(try await refusal("localhost", "other.crt").contains("certificate verify failed"))
            #expect(try await refusal("127.0.0.1", "root.crt").contains("does not match host name"))
            #expect(try await refusal("localhost", "missing.crt").contains("missing.crt"))

            let node = try server("localhost", "root.crt")
            try await node.start()
            let asked = try await Asked(node, health: health)
            try await database.run(
                """
                DO $$ DECLARE plain INT; encrypted INT; BEGIN
                    SELECT COUNT(*) FILTER (WHERE NOT ssl), COUNT(*) FILTER (WHERE ssl) INTO plain, encrypted
                    FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'guarded';
                    IF plain > 0 OR encrypted = 0 THEN RAISE EXCEPTION '% and %', plain, encrypted; END IF;
                END $$
                """)
            // The certificate expires while the server runs.
            try await files.serve("expired", on: cluster)
            try await asked.refuses()
            #expect(try HealthRequest("/readyz", health).status == 503)
            try await files.serve("good", on: cluster)
            #expect(try await asked.answers()["token"]?.status == 200)
            let log = try node.log()
            #expect(log.contains("certificate verify failed") && !log.contains("canary"))
            #expect(try await node.end(by: SIGTERM) == 0)
        }
    }
}

/// What an administrator knows about groups.
private struct MadeGroups: Sendable {
    var acknowledged: Set<String> = []
    /// The refused groups, with the status.
    var refused: [String: Int] = [:]

    mutating func add(_ others: MadeGroups) {
        acknowledged.formUnion(others.acknowledged)
        refused.merge(others.refused) { $1 }
    }
}
