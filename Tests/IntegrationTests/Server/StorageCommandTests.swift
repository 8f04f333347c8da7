// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

/// `baton admin storage`: backup, restore and copy of a real server's databases.
@Suite(.timeLimit(.minutes(10))) struct StorageCommandTests {
    @Test func `a backup of a running server is restored at another machine`() async throws {
        try await StorageFixture.with { fixture in
            let file = fixture.scratch.path("backup")
            let backup = try await fixture.storage("backup", ["--output", file])
            #expect(backup.code == 0, "\(backup)")
            #expect(backup.output.contains("storage.key, ca/ and packages/"))
            // One line for each table, because this is no terminal.
            #expect(backup.errors.contains("reading identity: table ") && !backup.errors.contains("\u{1b}"))
            #expect(try fixture.mode(of: file) == 0o600)
            // What happens after the backup is lost.
            _ = try fixture.server.create("tenants", ["displayName": "Later", "domain": "later.test"])
            #expect(try await fixture.server.end(by: SIGTERM) == 0)

            let other = try ServerProcess(in: fixture.scratch)
            let keyless = try await fixture.refused("restore", ["--input", file], of: other)
            #expect(keyless.code == "server.storage.key-missing")
            try fixture.copyKey(to: other)
            let restore = try await fixture.storage("restore", ["--input", file], of: other)
            #expect(restore.code == 0, "\(restore)")
            #expect(restore.output.contains("are restored and compared"))
            try await other.start()
            #expect(try other.administer("GET", "/identity/tenants").body.contains("shop.test"))
            #expect(try !other.administer("GET", "/identity/tenants").body.contains("later.test"))
            #expect(try other.administer("GET", "/identity/tenants/-/audit").body.contains("storage.restore"))
            #expect(try other.administer("GET", "/mdm/tenants/-/enrollments").status == 200)
        }
    }

    @Test func `a restore never discards data by mistake`() async throws {
        try await StorageFixture.with { fixture in
            let file = fixture.scratch.path("backup")
            #expect(try await fixture.storage("backup", ["--output", file]).code == 0)
            let server = fixture.server
            _ = try server.create("tenants", ["displayName": "Later", "domain": "later.test"])
            let running = try await fixture.refused("restore", ["--input", file, "--replace"])
            #expect(running.code == "server.directory.in-use")
            #expect(try await server.end(by: SIGTERM) == 0)
            #expect(try await fixture.refused("restore", ["--input", file]).code == "server.storage.target-holds-data")

            // A damaged backup, and the backup of a server with another key.
            let damaged = fixture.scratch.path("damaged")
            var bytes = try Data(contentsOf: URL(filePath: file))
            bytes[bytes.count - 5] ^= 1
            try bytes.write(to: URL(filePath: damaged))
            let refusal = try await fixture.refused("restore", ["--input", damaged, "--replace"])
            #expect(refusal.code == "server.storage.damaged" && refusal.message.contains("cut off or changed"))
            let foreign = try await fixture.refused("restore", ["--input", "/etc/passwd", "--replace"])
            #expect(foreign.code == "server.storage.not-a-backup")
            let key = server.state + "/storage.key"
            let right = try Data(contentsOf: URL(filePath: key))
            try Data(repeating: 1, count: right.count).write(to: URL(filePath: key))
            let wrong = try await fixture.refused("restore", ["--input", file, "--replace"])
            #expect(wrong.code == "server.storage.other-key")
            try right.write(to: URL(filePath: key))

            // None of that has changed anything.
            try await server.start()
            #expect(try server.administer("GET", "/identity/tenants").body.contains("later.test"))
            #expect(try await server.end(by: SIGTERM) == 0)

            let replaced = try await fixture.storage("restore", ["--input", file, "--replace"])
            #expect(replaced.code == 0 && replaced.output.contains("identity.sqlite.replaced-"), "\(replaced)")
            try await server.start()
            #expect(try !server.administer("GET", "/identity/tenants").body.contains("later.test"))
            #expect(try await server.end(by: SIGTERM) == 0)

            // An interrupted restore keeps the server from starting, until it is repeated.
            try Data().write(to: URL(filePath: server.state + "/restore.unfinished"))
            try FileManager.default.removeItem(atPath: server.state + "/mdm.sqlite")
            let failed = try await server.fail()
            #expect(failed.code == 1 && failed.text.contains("server.restore.unfinished"), "\(failed.text)")
            #expect(try await fixture.storage("restore", ["--input", file]).code == 0)
            try await server.start()
        }
    }

    @Test func `a full disk leaves no backup and no half restore`() async throws {
        try await StorageFixture.with { fixture in
            let file = fixture.scratch.path("backup")
            let folder = fixture.scratch.path("small")
            let backup = try await fixture.onSmallDisk(folder, "backup", ["--output", folder + "/backup"])
            #expect(backup.code == 1 && backup.output == "0\n", "\(backup)")
            #expect(backup.errors.contains("No space left on device. [server.storage.file]"), "\(backup.errors)")

            #expect(try await fixture.storage("backup", ["--output", file]).code == 0)
            let other = try ServerProcess(["directory": folder], in: fixture.scratch)
            let restore = try await fixture.onSmallDisk(
                folder, "restore", ["--input", file], of: other, key: fixture.server.state + "/storage.key")
            // The two files that are left are the lock and the key.
            #expect(restore.code == 1 && restore.output == "2\n", "\(restore)")
            #expect(restore.errors.contains("full"), "\(restore.errors)")
        }
    }

    @Test func `a full disk of PostgreSQL refuses a copy and a restore, which then succeed after space is made`()
        async throws
    {
        try await StorageFixture.with { fixture in
            let target = try await fixture.postgreSQL(onSmallDisk: .data(megabytes: 160))
            let disk = try #require(target.cluster.disk)
            let file = fixture.scratch.path("backup")
            #expect(try await fixture.storage("backup", ["--output", file]).code == 0)
            #expect(try await fixture.server.end(by: SIGTERM) == 0)
            func full(_ command: String, _ words: [String], at configuration: String? = nil) async throws {
                // The first connection to a database writes a file. Without room for it, PostgreSQL refuses connections.
                try await target.cluster.query("SELECT 1", in: "baton")
                try disk.fill()
                let refused = try await fixture.refused(command, words, at: configuration)
                #expect(refused.code == "server.storage.database", "\(refused)")
                #expect(refused.message.contains("SQLSTATE 53100, the server's disk is full"), "\(refused)")
                try disk.free()
            }
            try await full("copy", ["--to", target.configuration])
            let copy = try await fixture.storage("copy", ["--to", target.configuration])
            #expect(copy.code == 0 && copy.output.contains("rows are copied and compared"), "\(copy)")

            try await full("restore", ["--input", file, "--replace"], at: target.configuration)
            // The former content is still there.
            let again = try await fixture.storage("copy", ["--to", target.configuration])
            #expect(again.code == 0 && again.output.contains("were copied before"), "\(again)")
            let restore = try await fixture.storage(
                "restore", ["--input", file, "--replace"], at: target.configuration)
            #expect(restore.code == 0, "\(restore)")
        }
    }

    @Test func `a copy to PostgreSQL is complete, can be repeated after kill -9, and shows no password`() async throws {
        try await StorageFixture.with { fixture in
            let target = try await fixture.postgreSQL()
            let running = try await fixture.refused("copy", ["--to", target.configuration])
            #expect(running.code == "server.directory.in-use")
            #expect(try await fixture.server.end(by: SIGTERM) == 0)

            // The copy is killed while it writes.
            let pipe = fixture.scratch.path("progress")
            let made = unsafe mkfifo(pipe, 0o600)
            #expect(made == 0)
            let killed = try await RunningProgram.start(
                "/bin/sh",
                ["-c", #"exec "$@" 2>"$0""#, pipe] + (try fixture.words("copy", ["--to", target.configuration])),
                log: "killed", awaitsReady: false, in: fixture.scratch)
            try await blocking {
                let progress = try FileHandle(forReadingFrom: URL(filePath: pipe))
                var text = ""
                while !text.contains("writing identity"), let part = try progress.read(upToCount: 256), !part.isEmpty {
                    text += String(decoding: part, as: UTF8.self)
                }
                killed.kill()
            }
            #expect(try await killed.waitForExit() == -SIGKILL)

            let copy = try await fixture.storage("copy", ["--to", target.configuration])
            #expect(copy.code == 0 && copy.output.contains("rows are copied and compared"), "\(copy)")
            let again = try await fixture.storage("copy", ["--to", target.configuration])
            #expect(again.code == 0 && again.output.contains("were copied before"), "\(again)")
            for run in [copy, again] { #expect(!(run.output + run.errors).contains(StorageFixture.password)) }

            // The target's rows are backed up as well, and restored into SQLite files.
            let file = fixture.scratch.path("backup")
            let backup = try await fixture.storage("backup", ["--output", file, "--json"], at: target.configuration)
            #expect(backup.code == 0 && backup.output.contains(#""engine":"postgresql""#), "\(backup)")
            let other = try ServerProcess(in: fixture.scratch)
            try fixture.copyKey(to: other)
            #expect(try await fixture.storage("restore", ["--input", file], of: other).code == 0)
            try await other.start()
            #expect(try other.administer("GET", "/identity/tenants").body.contains("shop.test"))
            #expect(try await other.end(by: SIGTERM) == 0)

            // Something else was written to the target: the copy refuses it and says where the difference is.
            try await target.cluster.query("UPDATE identity.tenant SET \"displayName\" = 'Elsewhere'", in: "baton")
            let refused = try await fixture.refused("copy", ["--to", target.configuration])
            #expect(refused.code == "server.storage.target-holds-data" && refused.message.contains("table tenant"))
            #expect(!refused.message.contains("Elsewhere"))
            // A restore replaces the target's rows only on request.
            let kept = try await fixture.refused("restore", ["--input", file], at: target.configuration)
            #expect(kept.code == "server.storage.target-holds-data")
            let replaced = try await fixture.storage(
                "restore", ["--input", file, "--replace"], at: target.configuration)
            #expect(replaced.code == 0, "\(replaced)")
            // The server works on the target, with the same key and authority.
            let keys: [String: any Sendable] = ["directory": fixture.server.state, "database": target.database]
            let onPostgreSQL = try ServerProcess(keys, in: fixture.scratch)
            try await onPostgreSQL.start()
            #expect(try onPostgreSQL.administer("GET", "/identity/tenants").body.contains("shop.test"))
            #expect(try onPostgreSQL.administer("GET", "/identity/tenants/-/audit").body.contains("storage.restore"))
            let used = try await fixture.refused("restore", ["--input", file, "--replace"], at: target.configuration)
            #expect(used.code == "server.directory.in-use")
            #expect(try await onPostgreSQL.end(by: SIGTERM) == 0)

            // A wrong password.
            try fixture.scratch.write("wrong\n", to: "password")
            let wrong = try await fixture.refused("copy", ["--to", target.configuration])
            #expect(wrong.code == "server.storage.database" && wrong.message.contains("password authentication failed"))
        }
    }
}

/// A real server with one tenant.
private struct StorageFixture {
    let server: ServerProcess
    let scratch: Scratch

    static let password = "a-password-of-the-database"

    static func with(_ body: (StorageFixture) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let fixture = StorageFixture(server: try ServerProcess(in: scratch), scratch: scratch)
            try await fixture.server.start()
            _ = try fixture.server.create("tenants", ["displayName": "Shop", "domain": "shop.test"])
            try await body(fixture)
        }
    }

    func words(
        _ command: String, _ words: [String], of server: ServerProcess? = nil, at configuration: String? = nil
    ) throws -> [String] {
        let configuration = configuration ?? (server ?? self.server).configuration
        return [try RunningProgram.built("baton"), "admin", "storage", command, "--config", configuration] + words
    }

    func storage(
        _ command: String, _ words: [String], of server: ServerProcess? = nil, at configuration: String? = nil
    ) async throws -> CommandRun {
        let all = try self.words(command, words, of: server, at: configuration)
        return try await CommandRun(Array(all.dropFirst()), in: scratch)
    }

    /// Runs a command that must be refused, and returns its error.
    func refused(
        _ command: String, _ words: [String], of server: ServerProcess? = nil, at configuration: String? = nil
    ) async throws -> CommandRun.Failure.Parts {
        let run = try await storage(command, words + ["--json"], of: server, at: configuration)
        #expect(run.code == 1 && run.output.isEmpty, "\(run)")
        return try CommandRun.Failure(run.errors).error
    }

    func mode(of path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    func copyKey(to other: ServerProcess) throws {
        if !FileManager.default.fileExists(atPath: other.state) {
            try FileManager.default.createDirectory(
                atPath: other.state, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }
        try FileManager.default.copyItem(atPath: server.state + "/storage.key", toPath: other.state + "/storage.key")
    }

    /// Runs a command with a file system of 16 kB at `folder`. The output is the number of files there afterwards.
    func onSmallDisk(
        _ folder: String, _ command: String, _ words: [String], of server: ServerProcess? = nil, key: String? = nil
    ) async throws -> CommandRun {
        let script = """
            mkdir -p "$1"
            mount -t tmpfs -o size=16k,mode=700 baton-small-disk "$1"
            if [ -n "$2" ]; then cp "$2" "$1/storage.key"; fi
            folder=$1 errors=$0
            shift 2
            code=0
            "$@" 2>"$errors" >/dev/null || code=$?
            ls -A "$folder" | wc -l
            exit $code
            """
        let errors = scratch.path("small-\(command).errors")
        let program = try await RunningProgram.start(
            "/usr/bin/unshare",
            ["--mount", "--propagation", "private", "/bin/sh", "-ec", script, errors, folder, key ?? ""]
                + (try self.words(command, words, of: server)),
            log: "small-\(command)", awaitsReady: false, in: scratch)
        let code = try await program.waitForExit()
        return CommandRun(code: code, output: try program.log(), errors: try textOfFile(errors))
    }

    /// Starts a PostgreSQL server with an empty database that requires a password, and writes a configuration file for
    /// this database.
    func postgreSQL(onSmallDisk part: PostgreSQLCluster.SmallPart? = nil) async throws -> (
        cluster: PostgreSQLCluster, configuration: String, database: [String: [String: String]]
    ) {
        let cluster = try await PostgreSQLCluster.start(onSmallDisk: part, in: scratch)
        try await cluster.query("CREATE ROLE \(PostgreSQLCluster.guarded) LOGIN PASSWORD '\(Self.password)'")
        try await cluster.query("CREATE DATABASE baton OWNER \(PostgreSQLCluster.guarded) TEMPLATE template0")
        let password = try scratch.write(Self.password + "\n", to: "password")
        let text = try Data(contentsOf: URL(filePath: server.configuration))
        var keys = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        let database = [
            "postgresql": [
                "socket": cluster.folder, "name": "baton", "user": PostgreSQLCluster.guarded,
                "passwordFile": password,
            ]
        ]
        keys["database"] = database
        let configuration = scratch.path("postgresql.json")
        try JSONSerialization.data(withJSONObject: keys).write(to: URL(filePath: configuration))
        return (cluster, configuration, database)
    }
}
