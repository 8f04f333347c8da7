// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct ServerProcessTests {
    @Test func `acknowledged data survives kill -9, and the authority stays the same`() async throws {
        try await Scratch.with { scratch in
            let server = try ServerProcess(in: scratch)
            try await server.start()
            let tenant = #"{"displayName":"C","domain":"c.test"}"#
            #expect(try server.administer("POST", "/identity/tenants", tenant).status == 201)
            let user = #"{"userPrincipalName":"a@c.test","displayName":"A","password":"long enough"}"#
            #expect(try server.administer("POST", "/identity/tenants/-/users", user).status == 201)
            let enrollment = try server.administer("POST", "/mdm/tenants/-/enrollments", #"{"name":"tablet"}"#)
            #expect(enrollment.status == 201)
            let database = try Data(contentsOf: URL(filePath: server.state + "/identity.sqlite-wal"))
            #expect(database.firstRange(of: Data("scrypt$10$8$3$".utf8)) != nil)
            let root = try Data(contentsOf: URL(filePath: server.state + "/ca/root.pem"))
            #expect(try await server.end(by: SIGKILL) == -SIGKILL)

            try await server.start()
            let users = try server.administer("GET", "/identity/tenants/c.test/users")
            #expect(users.status == 200)
            struct User: Decodable { let userPrincipalName: String }
            let known = try JSONDecoder().decode([User].self, from: Data(users.body.utf8))
            #expect(known.map(\.userPrincipalName) == ["a@c.test"])
            struct Act: Decodable { let action: String, correlation: String? }
            let audit = try server.administer("GET", "/mdm/tenants/-/audit")
            let acts = try JSONDecoder().decode([Act].self, from: Data(audit.body.utf8))
            let made = acts.filter { $0.action == "mdm.enrollment.make" }
            #expect(made.count == 1 && made.allSatisfy { $0.correlation?.isEmpty == false }, "\(acts)")
            #expect(try Data(contentsOf: URL(filePath: server.state + "/ca/root.pem")) == root)
            #expect(try await server.end(by: SIGTERM) == 0)
            #expect(!FileManager.default.fileExists(atPath: server.state + "/admin.sock"))
        }
    }

    @Test func `only the server's user can access the state`() async throws {
        try await Scratch.with { scratch in
            let server = try ServerProcess(in: scratch)
            try await server.start()
            let state = server.state
            #expect(try mode(state) == 0o700)
            for file in [
                "ca/root.key", "ca/server.key", "identity.sqlite", "identity.sqlite-wal", "mdm.sqlite", "storage.key",
            ] {
                #expect(try mode("\(state)/\(file)") == 0o600, "\(file)")
            }
            #expect(try mode("\(state)/admin.sock") & 0o077 == 0)
        }
    }

    @Test(arguments: [(0, "200"), (61_203, "403")])
    func `administration is refused to another user, whatever the file modes are`(
        user: Int, status: String
    ) async throws {
        try #require(geteuid() == 0, "a process of another user needs the right to make one")
        try await Scratch.with { scratch in
            let server = try ServerProcess(in: scratch)
            try await server.start()
            let socket = server.state + "/admin.sock"
            for (path, mode) in [(scratch.path, 0o711), (server.state, 0o711), (socket, 0o666)] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            }
            let caller = try await RunningProgram.start(
                "/usr/bin/setpriv",
                ["--reuid", "\(user)", "--clear-groups", "/usr/bin/python3", "-c", Self.call, socket],
                log: "caller", awaitsReady: false, in: scratch)
            #expect(try await caller.waitForExit() == 0)
            #expect(try caller.log().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    /// A script that lists the tenants and prints the first line of the response.
    private static let call = """
        import socket, sys
        there = socket.socket(socket.AF_UNIX)
        there.settimeout(60)
        there.connect(sys.argv[1])
        there.sendall(b"GET /identity/tenants HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
        print(there.makefile().readline())
        """

    @Test func `a missing or wrong storage key stops the server and is not replaced`() async throws {
        try await Scratch.with { scratch in
            let server = try ServerProcess(in: scratch)
            try await server.start()
            let key = URL(filePath: server.state + "/storage.key")
            let kept = try Data(contentsOf: key)
            #expect(try await server.end(by: SIGTERM) == 0)

            try FileManager.default.removeItem(at: key)
            let missing = try await server.fail()
            #expect(missing.code == 1 && missing.text.contains("server.file.unusable"))
            #expect(!FileManager.default.fileExists(atPath: key.path))
            for wrong in [Data(repeating: 1, count: 32), Data(repeating: 1, count: 31)] {
                try wrong.write(to: key)
                let refused = try await server.fail()
                #expect(refused.code == 1 && refused.text.contains("server.file.unusable"))
                #expect(try Data(contentsOf: key) == wrong)
            }
            try kept.write(to: key)
            try await server.start()
            #expect(try await server.end(by: SIGTERM) == 0)
        }
    }

    @Test func `two listeners on one port are an error of the configuration`() async throws {
        try await Scratch.with { scratch in
            let names = [
                "login": "login.test", "deviceRegistration": "drs.test", "graph": "graph.test", "mdm": "mdm.test",
                "administration": "admin.test",
            ]
            let ports: [String: any Sendable] = ["port": 9443, "mdmPort": 9444, "administrationPort": 9445]
            for (changes, keys) in [
                (["mdmPort": 9443], "port and mdmPort"), (["administrationPort": 9443], "port and administrationPort"),
                (["administrationPort": 9444], "mdmPort and administrationPort"),
                (["health": ["port": 9444]], "mdmPort and health.port"),
                (["health": ["port": 9446], "metrics": ["port": 9446]], "health.port and metrics.port"),
            ] as [([String: any Sendable], String)] {
                let all = ports.merging(changes) { $1 }.merging(["names": names]) { $1 }
                let refused = try await ServerProcess(all, in: scratch).fail()
                #expect(refused.code == 78 && refused.text.contains("\(keys) must differ"), "\(refused)")
            }
        }
    }

    @Test func `a second server leaves the first one's folder alone`() async throws {
        try await Scratch.with { scratch in
            let server = try ServerProcess(in: scratch)
            try await server.start()
            let second = try ServerProcess(["directory": server.state], in: scratch)
            let outcome = try await second.fail()
            #expect(outcome.code == 1)
            #expect(outcome.text.contains("server.directory.in-use"))
            #expect(try server.administer("GET", "/identity/tenants").status == 200)
        }
    }

    @Test(
        arguments: [
            ("extra", 1, "the key extra is not known"), ("port", 0, "port must be 1 to 65535"),
            ("port", "8443", "the value of port has the wrong type"),
            ("passwordCost", 4, "passwordCost must be 10 to 20"), ("logLevel", "loud", "loud"),
            (
                "names", ["login": "a", "deviceRegistration": "a", "graph": "c", "mdm": "d"], "the names must differ"
            ),
            ("names", ["login": "a"], "the key deviceRegistration is missing"),
            (
                "names", ["login": "a", "deviceRegistration": "b", "graph": "c", "mdm": "d", "administration": "a b"],
                "a name must be a host name"
            ),
            (
                "names", ["login": "https://a", "deviceRegistration": "b", "graph": "c", "mdm": "d"],
                "a name must be a host name"
            ),
            (
                "names", ["login": "a:1", "deviceRegistration": "b", "graph": "c", "mdm": "d"],
                "a name must be a host name"
            ),
            ("requestDeadline", 0, "requestDeadline must be 1 to 600"),
            ("connections", 15, "connections must be 16 to 32768"),
            ("connectionsPerAddress", 3, "connectionsPerAddress must be 4 to 32768"),
            ("devicePolling", 61, "devicePolling must be 1 to 60"),
            ("packageFolder", "packages", "packageFolder must be an absolute path"),
            (
                "signingKeys", ["ageDays": 1, "publicationHours": 24],
                "publicationHours must be shorter than ageDays"
            ),
            ("signingKeys", ["age": 1], "the key age is not known"),
            ("retention", ["auditDays": 0], "auditDays must be 1 to 36500"),
            ("retention", ["sessionDays": 3651], "sessionDays must be 1 to 3650"),
            ("retention", ["days": 1], "the key days is not known"),
            ("database", [String: Int](), "the key postgresql is missing"),
            ("database", ["sqlite": [String: Int]()], "the key sqlite is not known"),
            ("database", ["postgresql": ["password": "canary"]], "the key password is not known"),
            ("database", ["postgresql": ["host": "db.test"]], "host needs the key rootCertificates"),
            (
                "database", ["postgresql": ["host": "db.test", "socket": "/run", "rootCertificates": "/root.pem"]],
                "host and socket exclude each other"
            ),
            ("database", ["postgresql": ["host": "/run", "rootCertificates": "/root.pem"]], "host must be a name"),
            ("database", ["postgresql": ["rootCertificates": "/root.pem"]], "rootCertificates needs the key host"),
            ("database", ["postgresql": ["socket": "run"]], "socket must be an absolute path"),
            ("database", ["postgresql": ["socket": "/run,/tmp"]], "socket must be an absolute path"),
            ("database", ["postgresql": ["passwordFile": "secret"]], "passwordFile must be an absolute path"),
            ("database", ["postgresql": ["name": ""]], "name must not be empty"),
            ("database", ["postgresql": ["port": 0]], "port must be 1 to 65535"),
            ("database", ["postgresql": ["connections": 0]], "connections must be 1 to 500"),
            ("database", ["postgresql": ["poolTimeout": 0]], "poolTimeout must be 1 to 60"),
            (
                "database", ["postgresql": ["lockTimeout": 11]], "lockTimeout must not be longer than statementTimeout"
            ),
            ("loadBalancer", ["addresses": ["10.0.0.1/8"]], "addresses must be IP addresses or networks"),
            ("loadBalancer", ["drain": 301], "drain must be 0 to 300"),
            ("health", ["address": "127.0.0.1"], "the key port is missing"),
        ] as [(String, any Sendable, String)])
    func `an invalid configuration is refused`(
        key: String, value: any Sendable, explanation: String
    ) async throws {
        try await Scratch.with { scratch in
            let outcome = try await ServerProcess([key: value], in: scratch).fail()
            #expect(outcome.code == 78)
            #expect(outcome.text.contains("server.configuration.malformed"))
            #expect(outcome.text.contains(explanation), "\(outcome.text)")
            #expect(!outcome.text.contains("canary"))
        }
    }

    @Test func `the former key of the audit log's retention works, but not beside the present one`() async throws {
        try await Scratch.with { scratch in
            let both: [String: any Sendable] = ["auditDays": 30, "retention": ["auditDays": 30]]
            let outcome = try await ServerProcess(both, in: scratch).fail()
            #expect(outcome.code == 78)
            #expect(outcome.text.contains("auditDays and retention.auditDays are the same setting"), "\(outcome.text)")
            try await ServerProcess(["auditDays": 30, "retention": ["sessionDays": 30]], in: scratch).start()
        }
    }

    @Test func `a new signing key is published in advance for the configured time`() async throws {
        try await Scratch.with { scratch in
            let server = try ServerProcess(
                ["signingKeys": ["ageDays": 2, "publicationHours": 3]], in: scratch)
            try await server.start()
            _ = try server.create("tenants", ["displayName": "C", "domain": "c.test"])
            let answer = try server.administer("POST", "/identity/tenants/-/signing-keys", #"{"immediately":false}"#)
            struct Key: Decodable { let createdAt: Int, signsAt: Int, isCurrent: Bool }
            let keys = try JSONDecoder().decode([Key].self, from: Data(answer.body.utf8))
            #expect(keys.filter { !$0.isCurrent }.map { $0.signsAt - $0.createdAt } == [3 * 3_600_000, 3 * 3_600_000])
        }
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
}
