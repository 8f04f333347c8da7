// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

/// The health checks of a real server, and how it stops.
@Suite struct DrainTests {
    @Test func `a server that drains is alive but not ready, and a second signal ends it at once`() async throws {
        try await Scratch.with { scratch in
            let port = try #require(FreePort.tcp(in: FreePort.ofTests))
            let server = try ServerProcess(
                ["health": ["port": Int(port)], "loadBalancer": ["drain": 300]], in: scratch)
            try await server.start()
            #expect(try HealthRequest("/healthz", port).status == 200)
            #expect(try HealthRequest("/readyz", port) == HealthRequest(status: 200, body: "ready\n"))
            #expect(try HealthRequest("/identity/tenants", port).status == 404)

            try server.signal(SIGTERM)
            try await server.logs("draining")
            #expect(try HealthRequest("/healthz", port).status == 200)
            #expect(try HealthRequest("/readyz", port) == HealthRequest(status: 503, body: "draining\n"))
            // The listeners stay open, and each response tells the client to close its connection.
            let page = try await server.page(in: scratch)
            #expect(page.contains("HTTP/1.1 404") && page.lowercased().contains("\nconnection: close"), "\(page)")
            #expect(try await server.end(by: SIGINT) == 128 + SIGINT)
        }
    }

    @Test func `a server without a load balancer stops at once, and its answers keep connections`() async throws {
        try await Scratch.with { scratch in
            let server = try ServerProcess(in: scratch)
            try await server.start()
            #expect(try await !server.page(in: scratch).lowercased().contains("\nconnection: close"))
            let begun = ContinuousClock.now
            #expect(try await server.end(by: SIGTERM) == 0)
            #expect(ContinuousClock.now - begun < .seconds(5))
        }
    }

    @Test func `a server is not ready when its database has become too new`() async throws {
        try await Scratch.with { scratch in
            let port = try #require(FreePort.tcp(in: FreePort.ofTests))
            let server = try ServerProcess(["health": ["port": Int(port)]], in: scratch)
            try await server.start()
            try await server.addMigration(version: 2, lowest: 2, to: "mdm", in: scratch)
            #expect(
                try HealthRequest("/readyz", port)
                    == HealthRequest(status: 503, body: "the database cannot be used\n"))
            #expect(try HealthRequest("/healthz", port).status == 200)
            try await server.logs("not ready: a database cannot be used")
        }
    }

    @Test(arguments: ["identity", "mdm"])
    func `the program runs on a schema of the next version only if each new step allows it`(
        database: String
    ) async throws {
        try await Scratch.with { scratch in
            let server = try ServerProcess(in: scratch)
            try await server.start()
            let tenant = #"{"displayName":"C","domain":"c.test"}"#
            #expect(try server.administer("POST", "/identity/tenants", tenant).status == 201)
            try await server.addMigration(version: 2, lowest: 1, to: database, in: scratch)
            #expect(try server.administer("GET", "/identity/tenants").body.contains("c.test"))
            #expect(try await server.end(by: SIGTERM) == 0)

            try await server.start()
            #expect(try server.administer("GET", "/identity/tenants").body.contains("c.test"))
            #expect(try await server.end(by: SIGTERM) == 0)

            try await server.addMigration(version: 3, lowest: 2, to: database, in: scratch)
            let outcome = try await server.fail()
            #expect(outcome.code == 1 && outcome.text.contains("server.database.newer"))
            #expect(outcome.text.contains("which has schema version 1"), "\(outcome.text)")
        }
    }
}

/// Servers on PostgreSQL: their readiness, and two versions on one schema.
@Suite(.timeLimit(.minutes(5))) struct SharedReadinessTests {
    @Test func `a node is ready only while its database answers`() async throws {
        try await Scratch.with { scratch in
            let cluster = try await PostgreSQLCluster.start(in: scratch)
            let port = try #require(FreePort.tcp(in: FreePort.ofTests))
            let database = try await ServerDatabase(in: cluster)
            let server = try ServerProcess(database.keys(besides: ["health": ["port": Int(port)]]), in: scratch)
            try await server.start()
            try await cluster.kill()
            #expect(try HealthRequest("/readyz", port).body == "the database cannot be used\n")
            #expect(try HealthRequest("/healthz", port).status == 200)
            try await server.logs("not ready: a database cannot be used")
            try await cluster.start()
            try await server.untilReady(port)
        }
    }

    @Test func `a node of the previous version serves beside the next one if each new step allows it`() async throws {
        try await Scratch.with { scratch in
            let port = try #require(FreePort.tcp(in: FreePort.ofTests))
            let database = try await ServerDatabase()
            let server = try ServerProcess(database.keys(besides: ["health": ["port": Int(port)]]), in: scratch)
            try await server.start()
            let directory = #"{"displayName":"C","domain":"c.test"}"#
            #expect(try server.administer("POST", "/identity/tenants", directory).status == 201)
            // What a node of the next version does at its start.
            try await database.run(
                """
                ALTER TABLE identity.tenant ADD COLUMN extra TEXT;
                INSERT INTO identity.migration VALUES ('next', 1000, 'x', 2, 1)
                """)
            #expect(try HealthRequest("/readyz", port).status == 200)
            #expect(try server.administer("GET", "/identity/tenants").body.contains("c.test"))
            #expect(try await server.end(by: SIGTERM) == 0)
            try await server.start()
            #expect(try server.administer("GET", "/identity/tenants").body.contains("c.test"))

            try await database.run("INSERT INTO mdm.migration VALUES ('other', 1000, 'x', 2, 2)")
            #expect(try HealthRequest("/readyz", port).status == 503)
            #expect(try await server.end(by: SIGTERM) == 0)
            let outcome = try await server.fail()
            #expect(outcome.code == 1 && outcome.text.contains("server.database.newer"), "\(outcome.text)")
        }
    }
}

extension ServerProcess {
    /// Sends the main listener a request that does not ask to close the connection, and returns the head of the answer.
    fileprivate func page(in scratch: Scratch) async throws -> String {
        let client = try await RunningProgram.start(
            "/usr/bin/python3", ["-c", Self.request, "\(port)", state + "/ca/root.pem"],
            log: "page-\(UInt32.random(in: 0...UInt32.max)).log", awaitsReady: false, in: scratch)
        #expect(try await client.waitForExit() == 0)
        return try client.log()
    }

    private static let request = """
        import socket, ssl, sys
        context = ssl.create_default_context(cafile=sys.argv[2])
        plain = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
        with context.wrap_socket(plain, server_hostname="login.test") as wire:
            wire.sendall(b"GET /nothing/here/at/all HTTP/1.1\\r\\nHost: login.test\\r\\n\\r\\n")
            print(wire.recv(65536).decode().replace("\\r", ""))
        """

    /// Adds a migration step with its change to a table, as a newer program would have done.
    fileprivate func addMigration(version: Int, lowest: Int, to database: String, in scratch: Scratch) async throws {
        let script = """
            import sqlite3, sys
            with sqlite3.connect(sys.argv[1], timeout=60) as database:
                count, = database.execute("SELECT COUNT(*) FROM migration").fetchone()
                database.execute(f"ALTER TABLE tenant ADD COLUMN extra{count} TEXT")
                database.execute("INSERT INTO migration VALUES (?, ?, 'x', ?, ?)",
                    (f"next {count}", count, int(sys.argv[2]), int(sys.argv[3])))
            """
        let change = try await RunningProgram.start(
            "/usr/bin/python3", ["-c", script, "\(state)/\(database).sqlite", "\(version)", "\(lowest)"],
            log: "change-\(UInt32.random(in: 0...UInt32.max)).log", awaitsReady: false, in: scratch)
        #expect(try await change.waitForExit() == 0)
    }
}
