// SPDX-License-Identifier: Apache-2.0
import BrokerDevice
import DeviceManagement
import Foundation
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

        /// The answers of the protocols of both TLS listeners.
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

        /// Checks that every listener refuses for now, in its protocol's form.
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

    @Test func `a full disk of PostgreSQL refuses writes, loses none, and leaves reads alone`() async throws {
        try await Scratch.with { scratch in
            let cluster = try await PostgreSQLCluster.start(onDiskOf: 160, in: scratch)
            let disk = try #require(cluster.disk)
            let asked = try await withServer(on: cluster, in: scratch)
            let server = asked.server
            try await cluster.reserveLog()
            try disk.fill()

            var acknowledged: Set<String> = []
            var refusal: (status: Int, body: String)?
            for number in 0..<2000 where refusal == nil {
                let name = "group \(number) " + String(repeating: "x", count: 100)
                let answer = try server.administer(
                    "POST", "/identity/tenants/-/groups", #"{"displayName":"\#(name)"}"#)
                if answer.status == 201 { acknowledged.insert(name) } else { refusal = answer }
            }
            #expect(refusal?.status == 503, "\(String(describing: refusal))")
            #expect(refusal?.body.contains("server.database.unavailable") == true)
            try await server.logs("the server's disk is full")

            func groups() throws -> Set<String> {
                struct Group: Decodable { let displayName: String }
                let answer = try server.administer("GET", "/identity/tenants/-/groups")
                #expect(answer.status == 200)
                return Set(try JSONDecoder().decode([Group].self, from: Data(answer.body.utf8)).map(\.displayName))
            }
            #expect(try groups() == acknowledged)
            let me = try await server.send("GET", "/v1.0/me", host: "graph.test", bearer: asked.access)
            #expect(me.status == 200)
            #expect(try HealthRequest("/readyz", asked.health).status == 200)

            try disk.free()
            let last = try server.administer("POST", "/identity/tenants/-/groups", #"{"displayName":"last"}"#)
            #expect(last.status == 201, "\(last)")
            #expect(try groups() == acknowledged.union(["last"]))
            #expect(try await asked.answers()["token"]?.status == 200)
            // Nothing acknowledged was lost, also after a crash.
            try await cluster.kill()
            try await cluster.start()
            #expect(try groups() == acknowledged.union(["last"]))
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
