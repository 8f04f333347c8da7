// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The log and the files of a server that logs at level `trace` and has received every kind of secret through the
/// endpoints that foreign clients use.
@Suite(.timeLimit(.minutes(20))) struct SecretsInLogsTests {
    @Test func `no password, code, token, key, cookie or form token is in the log or in the server's files`()
        async throws
    {
        try await Scratch.with { scratch in
            let password = "canary horse \(UUID().uuidString) & \"battery\""
            let clients = try await ForeignClients(
                ["logLevel": "trace", "compatibility": ["passwordGrant": true, "keyDerivationVersionOne": true]],
                in: scratch)
            let server = clients.server
            #expect(try server.administer("POST", "/identity/tenants/-/compatibility-clients").status < 300)
            func set(_ password: String) throws {
                let body = try JSONSerialization.data(withJSONObject: ["password": password])
                let path = "/identity/tenants/-/users/amara@contoso.test/password"
                #expect(try server.administer("PUT", path, String(decoding: body, as: UTF8.self)).status == 204)
            }
            let former = "former canary \(UUID().uuidString)"
            try set(former)
            try set(password)
            clients.add("password", password)
            clients.add("new_password", former)
            let confidential = try server.create(
                "tenants/-/clients",
                ["displayName": "Web app", "redirectURIs": ["http://localhost"], "isConfidential": true])
            clients.add("confidential", confidential)
            clients.add("client_secret", try secret(of: confidential, server))
            try await clients.check("canaries.py", "told")
            #expect(try await server.end(by: SIGTERM) == 0)

            let log = try server.log()
            #expect(log.count > 10_000 && log.contains("debug"))
            try scratch.write(log, to: "server.log")
            let search = try await TraceSearchRun(
                for: try textOfFile(scratch.path("canaries.json")),
                [
                    "--surface", "log=\(scratch.path("server.log"))", "--surface", "state=\(server.state)",
                    "--surface", "careless=\(scratch.path("careless.log"))",
                    "--expect-none-in", "log,state", "--expect-hit", "careless=\(try names(scratch))",
                ], in: scratch)
            #expect(search.code == 0, "\(search.output.suffix(4000))")
        }
    }

    /// Makes a secret for a client. An administrator sees it only once.
    private func secret(of client: String, _ server: ServerProcess) throws -> String {
        let path = "/identity/tenants/-/clients/\(client)/secrets"
        let answer = try server.administer("POST", path)
        let made = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
        return try #require(made?["secret"] as? String, "\(answer)")
    }

    /// The names of all canaries. The search must find each of them in `careless.log`.
    private func names(_ scratch: Scratch) throws -> String {
        let text = try Data(contentsOf: URL(filePath: scratch.path("canaries.json")))
        let canaries = try #require(try JSONSerialization.jsonObject(with: text) as? [String: String])
        #expect(canaries.count > 20)
        return canaries.keys.sorted().joined(separator: ",")
    }
}
