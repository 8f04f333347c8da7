// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes
import Storage
import StoragePostgreSQL
import TestSupport
import Testing

/// TLS to the server, with its certificate verified.
@Suite struct EncryptionTests {
    @Test func `only a server with a valid certificate of the given authority and name is used`() async throws {
        try await Scratch.with { scratch in
            let files = try await DatabaseCertificates(in: scratch)
            let port = try #require(FreePort.tcp(in: FreePort.ofTests))
            let cluster = try await PostgreSQLCluster.start(tcpPort: port, in: scratch)
            let password = UUID().uuidString
            try await cluster.query("CREATE ROLE \(PostgreSQLCluster.guarded) LOGIN SUPERUSER PASSWORD '\(password)'")
            let passwordFile = try scratch.write(password, to: "password")
            try await withSchema(of: cluster) { configuration in
                func open(_ host: String, _ root: String) async throws {
                    var remote = configuration
                    (remote.user, remote.passwordFile) = (PostgreSQLCluster.guarded, passwordFile)
                    remote.server = .tls(host: host, port: Int(port), rootCertificates: scratch.path(root))
                    let database = try await PostgreSQLDatabase(remote, migrations: [people])
                    let row = try await database.read { connection in
                        try connection.row(
                            """
                            SELECT ssl AS encrypted, current_setting('tcp_keepalives_idle') AS idle
                            FROM pg_stat_ssl WHERE pid = pg_backend_pid()
                            """)
                    }
                    #expect(try row?["encrypted"] == true)
                    // The server checks whether the node is still there.
                    #expect(try row?["idle"] == "5")
                    // The text is longer than a TLS record and longer than a buffer, in both directions.
                    let long = String(repeating: "é", count: 1_000_000)
                    let answer = try await database.read { try $0.row("SELECT \(long) AS text") }
                    #expect(try answer?["text"] == long)
                }
                // The server has no TLS yet.
                #expect(await refusal(.unavailable) { try await open("localhost", "root.crt") }.contains("SSL"))

                try await files.serve("good", on: cluster)
                try await open("localhost", "root.crt")
                #expect(await refusal(.unavailable) { try await open("localhost", "other.crt") }.contains("verif"))
                #expect(
                    await refusal(.unavailable) { try await open("127.0.0.1", "root.crt") }.contains("does not match"))
                #expect(await refusal(.unavailable) { try await open("localhost", "missing.crt") }.contains("missing"))

                try await files.serve("expired", on: cluster)
                #expect(await refusal(.unavailable) { try await open("localhost", "root.crt") }.contains("verif"))
            }
        }
    }
}
