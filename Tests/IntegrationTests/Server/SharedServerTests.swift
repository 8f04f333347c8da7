// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes
import Storage
import StoragePostgreSQL
import TestSupport
import Testing

/// The real server on a PostgreSQL database, alone and with a second node.
@Suite(.timeLimit(.minutes(10))) struct SharedServerTests {
    private static let password = "correct horse battery"
    /// Lets the tests get tokens without a browser.
    private static let settings: [String: any Sendable] = ["compatibility": ["passwordGrant": true]]

    private func grant(_ directory: (tenant: String, client: String)) -> (path: String, form: [String: String]) {
        (
            "/\(directory.tenant)/oauth2/v2.0/token",
            [
                "grant_type": "password", "client_id": directory.client, "username": "a@c.test",
                "password": Self.password, "scope": "openid offline_access User.Read",
            ]
        )
    }

    @Test func `a person signs in at a server whose database is PostgreSQL, and kill -9 loses nothing`() async throws {
        try await Scratch.with { scratch in
            let database = try await ServerDatabase()
            let clients = try await ForeignClients(database.keys(), in: scratch)
            try await clients.check("relying_party.py", "sign_in")
            let server = clients.server
            let enrollment = try server.administer("POST", "/mdm/tenants/-/enrollments", #"{"name":"tablet"}"#)
            #expect(enrollment.status == 201)
            #expect(try await server.end(by: SIGKILL) == -SIGKILL)
            for file in ["identity.sqlite", "mdm.sqlite"] {
                #expect(!FileManager.default.fileExists(atPath: server.state + "/" + file))
            }
            try await server.start()
            let users = try server.administer("GET", "/identity/tenants/contoso.test/users")
            #expect(users.status == 200 && users.body.contains("amara@contoso.test"))
            let audit = try server.administer("GET", "/mdm/tenants/-/audit")
            #expect(audit.body.contains("mdm.enrollment.make"))
            #expect(try await server.end(by: SIGTERM) == 0)
        }
    }

    @Test func `two nodes of one database are one server`() async throws {
        try await Scratch.with { scratch in
            let database = try await ServerDatabase()
            let first = try ServerProcess(database.keys(besides: Self.settings), in: scratch)
            try await first.start()
            let directory = try first.makeDirectory(password: Self.password)
            let address = "127.0.0.2"
            let place: [String: any Sendable] = ["address": address, "port": first.port, "mdmPort": first.mdmPort]
            let second = try ServerProcess(
                database.keys(besides: Self.settings.merging(place) { $1 }), in: scratch)
            try second.share(with: first)
            try await second.start()

            // Every step of a session may be at another node.
            let (path, form) = grant(directory)
            let made = try await first.send("POST", path, at: address, form: form)
            #expect(made.status == 200, "\(made.text("error_description") ?? "")")
            let access = try #require(made.text("access_token"))
            let me = try await first.send("GET", "/v1.0/me", host: "graph.test", bearer: access)
            #expect(me.status == 200 && me.text("userPrincipalName") == "a@c.test")
            var renewal = ["grant_type": "refresh_token", "client_id": directory.client]
            renewal["refresh_token"] = made.text("refresh_token")
            let renewed = try await first.send("POST", path, form: renewal)
            #expect(renewed.status == 200)
            renewal["refresh_token"] = renewed.text("refresh_token")

            // A refusal at one node is a refusal at the other node, at once.
            let disabled = try first.administer(
                "PATCH", "/identity/tenants/-/users/a@c.test", #"{"accountEnabled":false}"#)
            #expect(disabled.status < 300, "\(disabled)")
            let refused = try await first.send("POST", path, at: address, form: renewal)
            #expect(refused.status == 400 && refused.text("error") == "invalid_grant", "\(refused)")
            let denied = try await first.send("GET", "/v1.0/me", host: "graph.test", at: address, bearer: access)
            #expect(denied.status == 401)
        }
    }

    @Test func `a node that does not have the other nodes' key and authority is refused`() async throws {
        try await Scratch.with { scratch in
            let database = try await ServerDatabase()
            let first = try ServerProcess(database.keys(), in: scratch)
            try await first.start()
            let second = try ServerProcess(database.keys(), in: scratch)
            func refusal() async throws -> String {
                let outcome = try await second.fail()
                #expect(outcome.code == 1 && outcome.text.contains("server.file.unusable"), "\(outcome.text)")
                return outcome.text
            }
            // The second node makes no root certificate or key of its own, because clients would not trust it.
            #expect(try await refusal().contains("root.pem is missing"))
            for file in ["ca/root.pem", "storage.key"] {
                #expect(!FileManager.default.fileExists(atPath: second.state + "/" + file))
            }
            try second.share(with: first)
            let key = URL(filePath: second.state + "/storage.key")
            try FileManager.default.removeItem(at: key)
            #expect(try await refusal().contains("storage.key is missing"))
            try Data(repeating: 1, count: 32).write(to: key)
            #expect(try await refusal().contains("use another key"))
            try FileManager.default.removeItem(atPath: second.state + "/ca/root.key")
            let lone = try await second.fail()
            #expect(lone.code == 1)
            #expect(lone.text.contains("server.authority.unusable") && lone.text.contains("root.key"), "\(lone.text)")
        }
    }

    @Test func `a database that cannot be used is a clear error without the password`() async throws {
        try await Scratch.with { scratch in
            let database = try await ServerDatabase(in: try await PostgreSQLCluster.start(in: scratch))
            try await database.run("CREATE ROLE guarded LOGIN PASSWORD 'canary-right'")
            func refusal(_ changes: [String: any Sendable], _ code: String = "unusable") async throws -> String {
                let outcome = try await ServerProcess(
                    database.keys(changes, besides: ["logLevel": "trace"]), in: scratch
                ).fail()
                #expect(outcome.code == 1 && outcome.text.contains("[server.database.\(code)]"), "\(outcome.text)")
                #expect(!outcome.text.contains("canary"), "\(outcome.text)")
                return outcome.text
            }
            let guarded = ["user": PostgreSQLCluster.guarded]
            let wrong = guarded.merging(["passwordFile": try scratch.write("canary-wrong\n", to: "wrong")]) { $1 }
            #expect(try await refusal(wrong).contains("password authentication failed"))
            #expect(try await refusal(guarded).contains("no password supplied"))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: scratch.path("wrong"))
            #expect(try await refusal(wrong).contains("accessible to everybody"))
            #expect(try await refusal(["socket": "/nowhere"]).contains("/nowhere"))
            #expect(try await refusal(["name": "missing"]).contains("\"missing\" does not exist"))
            #expect(try await refusal(["user": "stranger"]).contains("\"stranger\" does not exist"))
            let remote: [String: any Sendable] = [
                "socket": ServerDatabase.NoValue(), "host": "127.0.0.1", "port": 1,
                "rootCertificates": "/etc/ssl/certs/ca-certificates.crt",
            ]
            #expect(try await refusal(remote).contains("port 1 failed"))

            let server = try ServerProcess(database.keys(), in: scratch)
            try await server.start()
            #expect(try await server.end(by: SIGTERM) == 0)
            try await database.run("UPDATE mdm.migration SET checksum = '0' WHERE position = 0")
            #expect(try await refusal([:], "unknown").contains("differs from the one applied"))
            try await database.run("INSERT INTO identity.migration VALUES ('of next year', 1000, '0')")
            #expect(try await refusal([:], "newer").contains("newer"))
        }
    }

    @Test func `an exhausted pool and a held lock end requests in time, and only those`() async throws {
        try await Scratch.with { scratch in
            let database = try await ServerDatabase()
            let server = try ServerProcess(
                database.keys(
                    ["connections": 1, "poolTimeout": 1, "lockTimeout": 3, "statementTimeout": 8],
                    besides: Self.settings), in: scratch)
            try await server.start()
            let (path, form) = grant(try server.makeDirectory(password: Self.password))
            let other = try await PostgreSQLDatabase(database.configuration(schema: "other"), migrations: [])
            let (held, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            async let lock: Void = other.write { connection in
                try connection.execute("LOCK TABLE identity.tenant IN ACCESS EXCLUSIVE MODE")
                held.signal()
                released.wait()
            }
            try await blocking { held.wait() }
            async let one = server.send("POST", path, form: form)
            async let two = server.send("POST", path, form: form)
            let statuses = try await [one.status, two.status]
            released.signal()
            try await lock
            #expect(statuses == [503, 503])
            #expect(try server.log().contains("all 1 connections to PostgreSQL are in use"))
            #expect(try server.log().contains("holds a lock for too long"))
            #expect(try await server.send("POST", path, form: form).status == 200)
        }
    }
}
