// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// `baton-dev run-app`: a developer's own apps in a running environment.
@Suite(.serialized, .madeEnvironment, .timeLimit(.minutes(10))) struct OwnAppsTests {
    /// A running `baton-dev up` whose environment is ready.
    private struct Up {
        let root: String
        let baton: RunningProgram

        init(in scratch: Scratch) async throws {
            root = scratch.path("w")
            baton = try await CommandRun.start(
                MadeEnvironmentTrait.arguments(root), of: "baton-dev", awaitsReady: true, in: scratch
            ).program
        }

        var list: String { root + "/configuration/own-apps.json" }
    }

    @Test func `an app of a developer is registered once, and runs with its ids`() async throws {
        let scratch = try MadeEnvironmentTrait.lent
        let up = try await Up(in: scratch)
        func run(_ words: [String]) async throws -> CommandRun {
            try await CommandRun(["run-app", "--directory", up.root] + words, of: "baton-dev", in: scratch)
        }
        let client = "0b9a5f0e-6a5e-4d3c-9c57-3d0f2f7f3a10"
        let broker = "29d9ed98-a469-4536-ade2-f981bc1d605e"
        let app = ["--id", "com.example.rounds"]
        let printed = "com.example.rounds \(client) msauth.com.example.rounds://auth \(up.root)/run/broker.sock"
        // The program is given first as a path, and then as a name that is searched for.
        for (word, shell) in [("registered", ["/bin/sh"]), ("registered already", ["--", "sh"])] {
            let script = "echo $1 $BATON_CLIENT_ID $BATON_REDIRECT_URI $BATON_SOCKET; exit 3"
            let own = try await run(
                app + (word == "registered" ? ["--client-id", client] : [])
                    + shell + ["-c", script, "sh", "com.example.rounds"])
            #expect(own.code == 3 && own.errors.isEmpty, "\(own)")
            #expect(own.output.hasPrefix("com.example.rounds is \(word):\n") && own.output.contains(printed), "\(own)")
        }
        let status = try await CommandRun(["device", "status", "--runtime-directory", up.root + "/run"], in: scratch)
        #expect(status.output.contains("com.example.rounds"), "\(status)")
        let long = "com.example." + String(repeating: "a", count: 120)
        let refusals = [
            (["--id", "org.baton.examples.wardround"], "app_of_environment", "org.baton.examples.wardround"),
            (["--id", "org.baton.other"], "app_of_environment", "org.baton.other"),
            (["--id", "com.example.other", "--client-id", client], "client_of_other_app", "com.example.rounds"),
            (app + ["--client-id", UUID().uuidString], "app_has_client", client), (app + ["/none"], "app_missing", ""),
            (["--id", "my app"], "app_name", "my app"), (["--id", "rounds"], "app_name", "rounds"),
            (["--id", "com.under_score.app"], "app_name", ""), (["--id", "com.example."], "app_name", ""),
            (["--id", "com.example.Rounds"], "app_name", ""), (["--id", long], "app_name", "com.example.aaa"),
            (["--id", "com.example.fourth", "--client-id", "nonsense"], "client_id_invalid", "nonsense"),
            (["--id", "com.example.fifth", "--client-id", broker], "identity.client.id", "only the server itself"),
        ]
        for (words, code, part) in refusals {
            let refused = try await run(["--json"] + words)
            #expect(refused.code == 1 && refused.output.isEmpty, "\(refused)")
            let error = try CommandRun.Failure(refused.errors).error
            #expect(error.code == code && !error.remedy.isEmpty, "\(words): \(error)")
            #expect(part.isEmpty || error.message.contains(part), "\(words): \(error)")
        }
        let apps = try await CommandRun(["device", "status", "--runtime-directory", up.root + "/run"], in: scratch)
        for other in ["other", "fourth", "fifth"] { #expect(!apps.output.contains("com.example." + other)) }
        let ids = ["com.example.first", "com.example.first", "com.example.second", "com.example.third"]
        let clients = try await withThrowingTaskGroup { group in
            for id in ids { group.addTask { try await run(["--id", id]).output } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // Concurrent calls lose nothing: each bundle id has one client id, now and later.
        for id in Set(ids) {
            let later = try await run(["--id", id]).output.split(separator: "\n").dropFirst().joined(separator: "\n")
            let before = clients.filter { $0.hasPrefix(id + " is") }
            #expect(before.count == ids.count { $0 == id } && before.allSatisfy { $0.contains(later) }, "\(clients)")
        }
        try await refusesFolders(up, scratch, run)
        try await keepsDamagedList(up, run)
        #expect(try await up.baton.stop() == 0)
        let after = try await run(["--json"] + app + ["/bin/echo", "it runs"])
        #expect(after.code == 69 && after.output.isEmpty, "\(after)")
        #expect(try CommandRun.Failure(after.errors).error.code == "environment_stopped")
        let without = try await CommandRun(
            ["run-app", "--json", "--directory", scratch.path("none")] + app, of: "baton-dev", in: scratch)
        #expect(try CommandRun.Failure(without.errors).error.code == "environment_missing")
        // The facts of an environment whose device was not set up completely.
        let facts = try textOfFile(up.root + "/environment.json")
        let unfinished = facts.replacing(/"isPushed" ?: ?true/, with: #""isPushed":false"#)
        #expect(unfinished != facts)
        try FileManager.default.createDirectory(atPath: scratch.path("half"), withIntermediateDirectories: false)
        try scratch.write(unfinished, to: "half/environment.json")
        let half = try await CommandRun(
            ["run-app", "--json", "--directory", scratch.path("half")] + app, of: "baton-dev", in: scratch)
        #expect(try CommandRun.Failure(half.errors).error.code == "environment_missing", "\(half)")
    }

    /// A list of apps that cannot be read is neither replaced nor treated as an empty list.
    private func keepsDamagedList(_ up: Up, _ run: ([String]) async throws -> CommandRun) async throws {
        let list = try textOfFile(up.list)
        try Data("{".utf8).write(to: URL(filePath: up.list))
        let refused = try await run(["--json", "--id", "com.example.late"])
        #expect(refused.code == 1 && refused.output.isEmpty, "\(refused)")
        #expect(try CommandRun.Failure(refused.errors).error.code == "own_apps_unreadable", "\(refused)")
        #expect(try textOfFile(up.list) == "{")
        try Data(list.utf8).write(to: URL(filePath: up.list))
    }

    @Test func `a registration that another one holds up ends with an error that names it`() async throws {
        let scratch = try MadeEnvironmentTrait.lent
        let up = try await Up(in: scratch)
        let path = up.list + ".lock"
        let holder = try await RunningProgram.start(
            "/usr/bin/python3",
            [
                "-c",
                """
                import fcntl, os, struct, sys, time
                file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
                fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
                os.truncate(file, 0); os.write(file, f"{os.getpid()}".encode())
                print("held", flush=True); time.sleep(600)
                """, path,
            ], log: "holder.log", awaitsReady: false, in: scratch)
        try await FolderWatch(scratch.path).until("the lock is held") { try holder.log().contains("held") }
        let arguments = ["run-app", "--json", "--directory", up.root, "--id", "com.example.rounds", "--patience", "0"]
        let run = try await CommandRun(arguments, of: "baton-dev", in: scratch)
        #expect(run.code == 1 && run.output.isEmpty, "\(run)")
        let error = try CommandRun.Failure(run.errors).error
        #expect(error.code == "own_apps_locked" && error.message.contains("process \(holder.pid)"), "\(error)")
        holder.kill()
        #expect(try await CommandRun(arguments, of: "baton-dev", in: scratch).code == 0)
        #expect(try await up.baton.stop() == 0)
    }

    /// Folders that nobody may register are refused before anything is registered, and an app's folders can be
    /// unregistered.
    private func refusesFolders(
        _ up: Up, _ scratch: Scratch, _ run: ([String]) async throws -> CommandRun
    ) async throws {
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        let taken = try #require(
            try FileManager.default.contentsOfDirectory(atPath: up.root + "/apps").sorted().last.map {
                up.root + "/apps/\($0)/data"
            })
        try FileManager.default.createDirectory(atPath: scratch.path("code"), withIntermediateDirectories: false)
        let program = try scratch.writeProgram("#!/bin/sh\nexit 0\n", to: "code/rounds")
        for (folder, code, part) in [
            ("/", "data_folder_refused", "/"), ("/etc", "data_folder_refused", "/etc belongs to the system"),
            ("/usr/lib", "data_folder_refused", "/usr/lib"), (home, "data_folder_refused", home),
            (scratch.path, "data_folder_refused", "the environment"),
            (up.root + "/device/x", "data_folder_refused", "in the environment"),
            (scratch.path("code"), "data_folder_refused", "the app's program"),
            (taken, "device_refused", "org.baton.examples.wardround"),
        ] {
            let refused = try await run(["--json", "--id", "com.example.bad", "--data-folder", folder, program])
            let error = try CommandRun.Failure(refused.errors).error
            #expect(refused.code == 1 && error.code == code && error.message.contains(part), "\(folder): \(refused)")
        }
        #expect(try !textOfFile(up.list).contains("com.example.bad"))
        let mine = ["--data-folder", scratch.path("data/rounds")]
        let named = try await run(["--id", "com.example.rounds"] + mine)
        #expect(named.code == 0 && named.output.contains("data folder  \(scratch.path("data/rounds"))"), "\(named)")
        let json = try await run(["--json", "--id", "com.example.rounds"] + mine)
        #expect(json.output.contains(#""dataFolders":["\#(scratch.path("data/rounds"))"]"#), "\(json)")
        // A call that names no folders keeps the registered ones, and its output does not mention them.
        #expect(try await run(["--id", "com.example.rounds"]).output.contains("data/rounds") == false)
        let other = try await run(["--json", "--id", "com.example.other"] + mine)
        let message = try CommandRun.Failure(other.errors).error.message
        for name in ["com.example.rounds", "com.example.other", "data/rounds"] {
            #expect(other.code == 1 && message.contains(name), "\(other)")
        }
        #expect(try await run(["--id", "com.example.rounds", "--no-data-folder"]).code == 0)
        #expect(try await run(["--id", "com.example.other"] + mine).code == 0)
        let doctor = try await CommandRun(["doctor", "--runtime-directory", up.root + "/run"], in: scratch)
        #expect(!doctor.output.contains("registry_"), "\(doctor)")
    }

    @Test func `a refusal is reported, also if the client of the refused app cannot be taken back`() async throws {
        let scratch = try MadeEnvironmentTrait.lent
        let up = try await Up(in: scratch)
        let socket = up.root + "/server/admin.sock"
        try FileManager.default.moveItem(atPath: socket, toPath: socket + ".real")
        let proxy = try await RunningProgram.start(
            "/usr/bin/python3", ["-c", Self.proxyWithoutRemoval, socket, socket + ".real"], log: "proxy.log",
            awaitsReady: false, in: scratch)
        try await FolderWatch(up.root + "/server").until("the proxy listens") {
            FileManager.default.fileExists(atPath: socket)
        }
        let taken = try #require(
            try FileManager.default.contentsOfDirectory(atPath: up.root + "/apps").sorted().last.map {
                up.root + "/apps/\($0)/data"
            })
        let run = try await CommandRun(
            ["run-app", "--json", "--directory", up.root, "--id", "com.example.kept", "--data-folder", taken],
            of: "baton-dev", in: scratch)
        let error = try CommandRun.Failure(run.errors).error
        #expect(run.code == 1 && error.code == "device_refused", "\(run)")
        #expect(error.message.contains("org.baton.examples"), "\(error)")
        #expect(error.message.contains("server_unreachable"), "\(error)")
        #expect(error.remedy.contains("baton admin client remove "), "\(error)")
        proxy.kill()
        #expect(try await up.baton.stop() == 0)
    }

    /// Passes connections on, but ends a connection when it carries a request to delete something.
    private static let proxyWithoutRemoval = """
        import socket, sys, threading
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(sys.argv[1] + ".new")
        listener.listen()
        import os; os.rename(sys.argv[1] + ".new", sys.argv[1])
        def copy(source, target, isClient):
            while data := source.recv(65536):
                if isClient and data.startswith(b"DELETE "): break
                target.sendall(data)
            for end in (source, target):
                try: end.shutdown(socket.SHUT_RDWR)
                except OSError: pass
        while True:
            client, _ = listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(sys.argv[2])
            threading.Thread(target=copy, args=(client, server, True)).start()
            threading.Thread(target=copy, args=(server, client, False)).start()
        """
}
