// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// Certificates for a server on `localhost`: a valid certificate, and an expired certificate.
package struct DatabaseCertificates {
    private let scratch: Scratch

    package init(in scratch: Scratch) async throws {
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
    package func serve(_ name: String, on cluster: PostgreSQLCluster) async throws {
        try await cluster.kill()
        for (source, target) in [("\(name).crt", "server.crt"), ("server.key", "server.key")] {
            let path = cluster.data + "/" + target
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: scratch.path(source), toPath: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            try cluster.giveAway(path)
        }
        let settings = "ssl = on\n"
        let file = cluster.data + "/postgresql.auto.conf"
        try Data(settings.utf8).write(to: URL(filePath: file))
        try cluster.giveAway(file)
        try await cluster.start()
    }
}
