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
            let files = try await Certificates(in: scratch)
            let port = try #require(FreePort.tcp(in: FreePort.ofTests))
            let cluster = try await PostgreSQLCluster.start(
                ["listen_addresses=127.0.0.1", "port=\(port)"], in: scratch)
            try await withSchema(of: cluster) { configuration in
                func open(_ host: String, _ root: String) async throws {
                    var remote = configuration
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
                    // The server looks for nodes that are gone.
                    #expect(try row?["idle"] == "5")
                    // More than fits into a record or a buffer, in both directions.
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

/// Certificates for a server on `localhost`: a valid certificate, and an expired certificate.
private struct Certificates {
    let scratch: Scratch

    init(in scratch: Scratch) async throws {
        self.scratch = scratch
        for authority in ["root", "other"] {
            try await openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/CN=\(authority)", "-days", "2", "-keyout", "\(authority).key", "-out", "\(authority).crt")
        }
        try scratch.write("subjectAltName=DNS:localhost\n", to: "names")
        try await openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
            "/CN=localhost", "-keyout", "server.key", "-out", "server.csr")
        for (name, days) in [("good", "2"), ("expired", "-1")] {
            try await openssl(
                "x509", "-req", "-in", "server.csr", "-CA", "root.crt", "-CAkey", "root.key",
                "-CAcreateserial", "-days", days, "-extfile", "names", "-out", "\(name).crt")
        }
    }

    private func openssl(_ arguments: String...) async throws {
        let program = try await RunningProgram.start(
            "/usr/bin/env", ["--chdir", scratch.path, "openssl"] + arguments, log: "openssl.log", awaitsReady: false,
            in: scratch)
        guard try await program.waitForExit() == 0 else { throw TestProblem(try program.log()) }
    }

    /// Restarts the server with this certificate.
    func serve(_ name: String, on cluster: PostgreSQLCluster) async throws {
        try await cluster.kill()
        for (source, target) in [("\(name).crt", "server.crt"), ("server.key", "server.key")] {
            let path = cluster.folder + "/data/" + target
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: scratch.path(source), toPath: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            try cluster.giveAway(path)
        }
        let settings = "ssl = on\n"
        let file = cluster.folder + "/data/postgresql.auto.conf"
        try Data(settings.utf8).write(to: URL(filePath: file))
        try cluster.giveAway(file)
        try await cluster.start()
    }
}
