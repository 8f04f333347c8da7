// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// A real server that is administered with `baton admin`.
struct AdminServer {
    let server: ServerProcess
    let scratch: Scratch

    /// Runs a server with these tenants.
    static func with(_ domains: [String], _ body: (AdminServer) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let admin = AdminServer(server: try ServerProcess(in: scratch), scratch: scratch)
            try await admin.server.start()
            for domain in domains { _ = try admin.server.create("tenants", ["displayName": domain, "domain": domain]) }
            try await body(admin)
        }
    }

    /// Runs `baton admin` with these arguments.
    func run(_ words: [String]) async throws -> CommandRun {
        try await CommandRun(["admin"] + words + ["--server", server.state], in: scratch)
    }

    /// Runs a command that must succeed, and returns its output.
    @discardableResult
    func done(_ words: String...) async throws -> String {
        let run = try await run(words)
        #expect(run.code == 0 && run.errors.isEmpty, "baton admin \(words.joined(separator: " ")) says \(run)")
        return run.output
    }

    /// Runs a command that must be refused, and returns the error.
    func refused(_ words: [String]) async throws -> CommandRun.Failure.Parts {
        let run = try await run(words + ["--json"])
        #expect(run.code == 1 && run.output.isEmpty, "baton admin \(words.joined(separator: " ")) says \(run)")
        return try CommandRun.Failure(run.errors).error
    }

    func refused(_ words: String...) async throws -> CommandRun.Failure.Parts { try await refused(words) }

    /// Returns the JSON output of a command, decoded.
    func json<Value: Decodable>(_ words: String..., as type: Value.Type = Value.self) async throws -> Value {
        let run = try await run(words + ["--json"])
        #expect(run.code == 0, "baton admin \(words.joined(separator: " ")) says \(run)")
        return try JSONDecoder().decode(Value.self, from: Data(run.output.utf8))
    }

    /// Stops the server, runs a Python script on its databases, and starts it again. The script has the connections
    /// `identity` and `mdm`, the ids of the first `tenant` and `person`, and `now` in milliseconds.
    func seed(_ script: String) async throws {
        #expect(try await server.end(by: SIGTERM) == 0)
        let text = try await run(python: Self.prelude + script)
        #expect(text.isEmpty, "\(text)")
        try await server.start()
    }

    /// The numbers of a tenant's rows in both databases, by table. Tables without such rows are left out.
    func rows(of tenant: String) async throws -> [String: Int] {
        let script = """
            counts = {}
            for base in (identity, mdm):
                for (table,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                    columns = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
                    if "tenant" in columns:
                        count, = base.execute(f"SELECT COUNT(*) FROM {table} WHERE tenant = ?", (sys.argv[2],)).fetchone()
                        if count: counts[table] = counts.get(table, 0) + count
            print(json.dumps(counts))
            """
        let text = try await run(python: Self.prelude + script, tenant)
        return try JSONDecoder().decode([String: Int].self, from: Data(text.utf8))
    }

    private func run(python script: String, _ arguments: String...) async throws -> String {
        let program = try await RunningProgram.start(
            "/usr/bin/python3", ["-c", script, server.state] + arguments,
            log: "python-\(UInt32.random(in: 0...UInt32.max))", awaitsReady: false, in: scratch)
        let code = try await program.waitForExit()
        let log = try program.log()
        guard code == 0 else { throw TestProblem("the script failed:\n\(log)") }
        return log
    }

    private static let prelude = """
        import json, sqlite3, sys, time
        identity = sqlite3.connect(sys.argv[1] + "/identity.sqlite", isolation_level=None)
        mdm = sqlite3.connect(sys.argv[1] + "/mdm.sqlite", isolation_level=None)
        now = int(time.time() * 1000)

        def insert(base, table, **row):
            places = ", ".join("?" * len(row))
            base.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", list(row.values()))

        def first(base, table):
            found = base.execute(f"SELECT id FROM {table} ORDER BY id LIMIT 1").fetchone()
            return found and found[0]

        tenant, person = first(identity, "tenant"), first(identity, "person")

        def joined(id, name, udid=None):
            insert(identity, "device", tenant=tenant, id=id, objectID="0" + id[1:], displayName=name,
                   operatingSystem="Linux", operatingSystemVersion="6", trustType="AzureAd", profileType="Shared",
                   accountEnabled=1, isManaged=int(udid is not None), managedAs=udid, certificateHash=id.encode(),
                   certificateExpires=now + 10**9, deviceKey=b"", transportKey=b"", registered=now)

        def managed(udid, name, serial=None, state="enrolled"):
            insert(mdm, "enrollment", tenant=tenant, id="e-" + udid, name=name, fingerprint=udid,
                   state="bound" if state == "enrolled" else "ended", udid=udid, createdAt=now, expiresAt=now + 10**9)
            insert(mdm, "device", tenant=tenant, udid=udid, enrollment="e-" + udid, name=name, state=state,
                   serialNumber=serial, changedAt=now)


        """
}
