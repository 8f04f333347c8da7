// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes
import Storage
import StoragePostgreSQL
import TestSupport
import Testing
import UnixSocket

/// Who may connect to which database, and what the errors say.
@Suite struct AccessTests {
    @Test func `a wrong address is an error that names it`() async throws {
        try await withSchema { configuration in
            var elsewhere = configuration
            elsewhere.server = .socket(folder: "/nowhere")
            let message = await refusal(.unavailable) { _ = try await PostgreSQLDatabase(elsewhere, migrations: []) }
            #expect(message.contains("/nowhere"))

            elsewhere.server = .tls(host: "localhost", port: 1, rootCertificates: "/etc/ssl/certs/ca-certificates.crt")
            let other = await refusal(.unavailable) { _ = try await PostgreSQLDatabase(elsewhere, migrations: []) }
            #expect(other.contains("port 1"))
        }
    }

    @Test func `an unknown database, an unknown user and a bad schema are errors`() async throws {
        try await withSchema { configuration in
            var wrong = configuration
            wrong.database = "missing"
            #expect(
                await refusal(.unavailable) { _ = try await PostgreSQLDatabase(wrong, migrations: []) }
                    .contains("\"missing\""))
            wrong = configuration
            wrong.user = "stranger"
            #expect(
                await refusal(.unavailable) { _ = try await PostgreSQLDatabase(wrong, migrations: []) }
                    .contains("\"stranger\""))
            for schema in ["", "a b", "Identity", "x; DROP TABLE person", "pg_temp,public"] {
                wrong = configuration
                wrong.schema = schema
                _ = await refusal(.failed) { _ = try await PostgreSQLDatabase(wrong, migrations: []) }
            }
            let limits: [WritableKeyPath<PostgreSQLConfiguration.Limits, Duration>] = [
                \.statement, \.lock, \.migration, \.connect,
            ]
            for limit in limits {
                wrong = configuration
                wrong.limits[keyPath: limit] = .zero
                _ = await refusal(.failed) { _ = try await PostgreSQLDatabase(wrong, migrations: []) }
            }
        }
    }

    @Test func `a server that accepts and never answers is given up`() async throws {
        try await Scratch.with { scratch in
            let listener = try Listener(path: scratch.path(".s.PGSQL.5432"), mode: 0o600)
            var configuration = PostgreSQLConfiguration(
                server: .socket(folder: scratch.path), database: "any", user: "any", schema: "any")
            configuration.limits.connect = .milliseconds(100)
            let message = await refusal(.unavailable) {
                _ = try await PostgreSQLDatabase(configuration, migrations: [])
            }
            #expect(message.contains("in time"))
            let opening = Task { [configuration] in
                var patient = configuration
                patient.limits.connect = .seconds(600)
                _ = try await PostgreSQLDatabase(patient, migrations: [])
            }
            let accepted = try await blocking { (try listener.accept(), try listener.accept()) }
            opening.cancel()
            await #expect(throws: CancellationError.self) { try await opening.value }
            _ = accepted
        }
    }

    @Test func `a password comes from a private file and is in no error`() async throws {
        try await Scratch.with { scratch in
            try await withSchema { configuration in
                let password = "canary-8c1f\\' pass=word"
                let admin = try await PostgreSQLDatabase(configuration, migrations: [])
                try await admin.write { connection in
                    try connection.execute("CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'canary-8c1f\\'' pass=word'")
                }
                var guarded = configuration
                guarded.user = PostgreSQLCluster.guarded
                func refused(_ code: StorageError.Code) async -> String {
                    let message = await refusal(code) { _ = try await PostgreSQLDatabase(guarded, migrations: []) }
                    #expect(!message.contains("canary"))
                    return message
                }
                #expect(await refused(.unavailable).contains("password"))

                guarded.passwordFile = try scratch.write(password + "\n", to: "right")
                let database = try await PostgreSQLDatabase(guarded, migrations: [people])
                #expect(try await database.read { try $0.row("SELECT current_user AS name")?["name"] } == "guarded")

                for wrong in ["canary-wrong", password + "\n\n"] {
                    guarded.passwordFile = try scratch.write(wrong, to: "wrong")
                    #expect(await refused(.unavailable).contains("password authentication failed"))
                }
                for useless in ["", "\n", String(repeating: "x", count: 5000), "canary\u{0}"] {
                    guarded.passwordFile = try scratch.write(useless, to: "useless")
                    _ = await refused(.failed)
                }
                guarded.passwordFile = scratch.path("missing")
                _ = await refused(.failed)
                guarded.passwordFile = scratch.path
                _ = await refused(.failed)
                for mode in [0o604, 0o620, 0o602] {
                    guarded.passwordFile = scratch.path("right")
                    try FileManager.default.setAttributes(
                        [.posixPermissions: mode], ofItemAtPath: scratch.path("right"))
                    #expect(await refused(.failed).contains("accessible"))
                }
            }
        }
    }

    @Test func `values are in no error, whatever the server says about them`() async throws {
        try await withSchema { configuration in
            let database = try await PostgreSQLDatabase(configuration, migrations: [people])
            let secret = "canary-55e0"
            for statement in [
                "SELECT CAST(\(secret) AS BIGINT) AS number", "SELECT 1 AS found WHERE \(secret) ~ \("[" + secret)",
                "SELECT 1 / (LENGTH(\(secret)) - 11) AS number",
                "INSERT INTO person (id, age) VALUES (\(secret), 1 / 0)",
                "INSERT INTO person (id) VALUES (\(secret + "\u{0}"))",
            ] as [SQL] {
                let error = await #expect(throws: StorageError.self) {
                    try await database.write { try $0.rows(statement) }
                }
                let text = try #require(error.map { "\($0) \(String(reflecting: $0))" })
                #expect(!text.contains("canary") && (text.contains("SQLSTATE") || text.contains("U+0000")))
            }
        }
    }

    @Test(arguments: [("UTF8", "C.UTF-8"), ("LATIN1", "C")])
    func `a database in which text has another order or form is refused`(
        encoding: String, locale: String
    ) async throws {
        let cluster = try await PostgreSQLCluster.shared()
        try await withSchema { configuration in
            var other = configuration
            other.database = "other_" + encoding.lowercased()
            try await cluster.run(
                "createdb",
                [
                    "--host", cluster.folder, "--username", configuration.user, "--template=template0",
                    "--encoding", encoding, "--locale", locale, other.database,
                ])
            let message = await refusal(.failed) { _ = try await PostgreSQLDatabase(other, migrations: [people]) }
            #expect(message.contains(encoding) && message.contains("'\(locale)'") == (locale == "C"))
        }
    }

    @Test func `a role without the right to create a schema is told so`() async throws {
        try await withSchema { configuration in
            let admin = try await PostgreSQLDatabase(configuration, migrations: [])
            let role: String = configuration.schema
            try await admin.write { try $0.execute(SQL(stringLiteral: "CREATE ROLE \(role) LOGIN")) }
            var humble = configuration
            (humble.user, humble.schema) = (role, role + "_own")
            let message = await refusal(.failed) { _ = try await PostgreSQLDatabase(humble, migrations: [people]) }
            #expect(message.contains("privilege"))
        }
    }

    @Test func `the tables of each engine are in a schema of their own`() async throws {
        try await withSchema { configuration in
            var second = configuration
            second.schema += "_mdm"
            let first = try await PostgreSQLDatabase(configuration, migrations: [people])
            let other = try await PostgreSQLDatabase(second, migrations: [people, pets])
            try await first.write { try $0.execute("INSERT INTO person (id) VALUES ('a')") }
            #expect(try await other.read { try $0.rows("SELECT id FROM person") }.isEmpty)
            #expect(try await other.read { try $0.rows("SELECT id FROM migration") }.count == 2)
            #expect(try await first.read { try $0.rows("SELECT id FROM migration") }.count == 1)
        }
    }
}
