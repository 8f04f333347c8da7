// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import DeviceAudit
import Foundation
import Glibc
import Leftovers
import Processes
import Receipts
import TestSupport
import Testing

extension LiveFaults {
    /// Leaks of a session's user: outside the browser, files everywhere on the device and a port; in the browser, an
    /// open port and changed files.
    @Suite(.live(users: LiveEnvironment.usersOfItsOwn, hasBrowser: false)) struct PlantedLeakTests {
        private static let user: UInt32 = 5
        private static let home = "/usr/games"

        /// Folders that root makes before the session: one in which every user may create files, the user's runtime
        /// folder, and a disk below a folder that every report searches.
        private struct PreparedFolders {
            let open, runtime, disk: String

            init(_ mark: String) {
                (open, runtime, disk) = ("/run/baton-test-\(mark)", "/run/user/5", "/var/tmp/leak-\(mark)")
            }

            var preparation: String {
                """
                mkdir -m 1777 \(open); mkdir -p -m 700 \(runtime); chown 5 \(runtime)
                mkdir \(disk); mount -t tmpfs -o size=1m,mode=1777 baton-test \(disk)
                """
            }

            var removal: String { "umount \(disk); rm -rf \(open) \(runtime) \(disk)" }

            /// The files of each entry of docs/reference/leftovers.md; nil stands for files that no entry names.
            func files(_ mark: String) -> [(entry: String?, path: String)] {
                let inHome: [(String?, String)] = [
                    ("shell_history", ".bash_history"),
                    ("keyring", ".local/share/keyrings/login.keyring"),
                    ("recent_files", ".local/share/recently-used.xbel"),
                    ("thumbnails", ".cache/thumbnails/normal/1.png"),
                    ("desktop_trash", ".local/share/Trash/files/note"),
                    ("other_browsers", ".config/chromium/Default/Cookies"),
                    ("other_browsers", ".mozilla/firefox/p/c.sqlite"),
                    ("desktop_certificates", ".local/share/pki/nssdb/cert9.db"),
                    ("online_accounts", ".config/goa-1.0/accounts"),
                    ("search_indexes", ".cache/tracker3/files/meta.db"),
                    ("home", "Documents/a b/plan.pdf"),
                ]
                return inHome.map { ($0.0, PlantedLeakTests.home + "/" + $0.1) } + [
                    ("temporary_files", "/tmp/.leak-\(mark)/note"),
                    ("temporary_files", "/tmp/leak-\(mark)-2/a/b/c/d/e/note"),
                    ("temporary_files", "/var/tmp/leak-\(mark)-3"), ("temporary_files", disk + "/note"),
                    ("temporary_files", disk + "/deep/er/note"), ("shared_memory", "/dev/shm/baton-test-\(mark)"),
                    ("shared_memory", "/dev/shm/baton-test-\(mark)-2/note"), ("runtime_files", runtime + "/note"),
                    ("runtime_files", runtime + "/app/state"), (nil, "/run/lock/baton-test-\(mark)"),
                    (nil, "/run/lock/baton-test-\(mark)-2/note"), (nil, open + "/note"), (nil, open + "/.hidden"),
                    (nil, open + "/a/b c/note"), (nil, open + "/l\u{e4}nge"),
                ]
            }
        }

        /// The leaks that are not files of the user, and whether an audit after the session can see each.
        private static let otherLeaks: [(leak: String, isInAudit: Bool, reason: String)] = [
            ("a port of a program outside the browser", true, "the program goes on"),
            (
                "a port of the browser", false,
                "the port is closed when the browser is killed; the agent has reported it"
            ),
            ("the packed extension", true, "the agent packs it again only later"),
            ("a policy of the browser", false, "the storage of the session is removed; the agent has reported it"),
        ]

        /// A script that leaves files of the user. Root runs it, because the home folder belongs to root.
        private static func planting(_ files: [String]) -> String {
            files.map { file in
                let (top, folder) = (top(of: file), file.split(separator: "/").dropLast().map { "/" + $0 }.joined())
                return "mkdir -p '\(folder)'; echo note >'\(file)'; chown -R \(user):60 '\(top)'"
            }.joined(separator: "\n")
        }

        /// The shortest beginning of the path that did not exist before.
        private static func top(of file: String) -> String {
            let parents = [home, "/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/run/user/5"]
            let parent = parents.first { file.hasPrefix($0 + "/") } ?? "/run/" + file.split(separator: "/")[1]
            let rest = file.dropFirst(parent.count + 1).split(separator: "/")
            // The folder of the disk existed before.
            let isOnDisk = parent == "/var/tmp" && rest.count > 1
            return parent + "/" + rest.prefix(isOnDisk ? 2 : 1).joined(separator: "/")
        }

        /// Stands in for the worker's browser: it listens at a port if there is a file with the port's number.
        private static func browser(_ live: LiveEnvironment) -> String {
            """
            #!/usr/bin/python3
            import os, signal, socket
            if os.path.exists("\(live.scratch.path("port"))"):
                port = socket.socket()
                port.bind(("127.0.0.1", int(open("\(live.scratch.path("port"))").read())))
                port.listen()
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(
                os.environ["BATON_BROWSER_NUMBER"].encode(), "\(live.path("run/profiles/extension/ready"))")
            signal.pause()
            """
        }

        /// Listens at a port, like a program that the user has started outside the browser.
        private static let listening = """
            import socket, signal, sys
            port = socket.socket(); port.bind(("127.0.0.1", int(sys.argv[1]))); port.listen()
            print("listens", flush=True)
            signal.pause()
            """

        @Test func `the audit and the receipt name thirty planted leaks, and clean sessions have none`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let mark = String(UInt64.random(in: 1 << 40...UInt64.max), radix: 36)
            let prepared = PreparedFolders(mark)
            try await live.run("/bin/sh", arguments: ["-ec", prepared.preparation])
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await plant(prepared.files(mark), mark, live)) } catch {
                outcome = .failure(error)
            }
            try await live.run("/bin/sh", arguments: ["-c", prepared.removal])
            try outcome.get()
        }

        private func plant(
            _ planted: [(entry: String?, path: String)], _ mark: String, _ live: LiveEnvironment
        ) async throws {
            #expect(planted.count + Self.otherLeaks.count == 30)
            let program = live.scratch.path("instead-of-a-browser")
            try live.scratch.writeProgram(Self.browser(live), to: "instead-of-a-browser")
            let removal = Set(planted.map { Self.top(of: $0.path) }).map { "rm -rf '\($0)'" }.joined(separator: "\n")
            // An earlier run that was killed may have left files in the home.
            try await live.run("/bin/sh", arguments: ["-c", removal])
            try await live.withHelper { helper in
                try await live.withConfiguredBrowser(instead: program) { _ in
                    let app = try live.app(1)
                    let snapshot = live.path("before-\(mark)")
                    let save = try await audit(live, "--save", snapshot)
                    #expect(save.code == 0, "\(save.output)")
                    let searches = try Self.searches(of: helper)
                    let began = Int(Date().timeIntervalSince1970)
                    let account = try await live.signIn("Amara", through: app)
                    // A search that began before the session counts too, because the folders already existed.
                    try await FolderWatch(live.scratch.path).until("searched") {
                        try Self.searches(of: helper) > searches
                    }
                    let (inside, outside) = (
                        try #require(FreePort.tcp(in: FreePort.ofTests)),
                        try #require(FreePort.tcp(in: FreePort.ofTests))
                    )
                    let package = URL(filePath: live.path("run/profiles/extension/chromium.crx"))
                    let packed = try Data(contentsOf: package)
                    let outcome: Result<Void, any Error>
                    do {
                        // The browser runs as another user.
                        let port = try live.scratch.write("\(inside)", to: "port")
                        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: port)
                        try await open(live)
                        let listener = try await live.runAside(
                            program: "/usr/bin/setpriv",
                            ["--reuid=5", "--clear-groups", "/usr/bin/python3", "-c", Self.listening, "\(outside)"])
                        try await FolderWatch(live.scratch.path).until("a port") {
                            try listener.log().contains("listens")
                        }
                        try (packed + [0]).write(to: package)
                        let policies = try #require(try helper.mounts().first) + "/worker/chromium/policies/managed"
                        try Data("{}".utf8).write(to: URL(filePath: policies + "/another.json"))
                        try await live.run("/bin/sh", arguments: ["-ec", Self.planting(planted.map(\.path))])
                        #expect(try await app.signOut(account))
                        try await live.settle()
                        let expected = Set(planted.map { $0.entry ?? Receipt.unexplained })
                        #expect(try await left(live) == expected)
                        // A receipt contains no path. The helper's report, from which the receipt is made, contains
                        // paths.
                        let paths = try await reported(live, helper, since: began)
                        #expect(planted.map(\.path).filter { !paths.contains($0) } == [])
                        let receipt = try await live.shownReceipt()
                        #expect(receipt.opened == ["abstract_socket", "tcp_port:\(inside)"])
                        #expect(receipt.unobserved.contains("listening_ports"))
                        #expect(try await results(live) == ["failed", "failed"])
                        let found = try await audit(live, "--compare", snapshot, "--strict")
                        #expect(found.code == 1)
                        let unnamed = planted.filter { !found.output.contains("new file \($0.path)") }.map(\.path)
                        #expect(unnamed == [], "\(found.output)")
                        let seen = [
                            "port \(outside) of user 5", "port \(inside) of", "changed file \(package.path)",
                            policies + "/another.json",
                        ].map(found.output.contains)
                        #expect(seen == Self.otherLeaks.map(\.isInAudit), "\(found.output)")
                        listener.kill()
                        _ = try await listener.waitForExit()
                        outcome = .success(())
                    } catch { outcome = .failure(error) }
                    try await live.run("/bin/sh", arguments: ["-c", removal])
                    try outcome.get()
                    // The agent restarts, and packs the extension anew because the packed file was changed.
                    try await FolderWatch(live.path("run/profiles/extension")).until("packed again") {
                        guard let present = try? Data(contentsOf: package) else { return false }
                        return present != packed + [0]
                    }
                    try FileManager.default.removeItem(atPath: live.scratch.path("port"))
                    let later = live.path("later-\(mark)")
                    #expect(try await audit(live, "--save", later).code == 0)
                    for number in 1...(Soak.isRunning ? 10 : 3) {
                        let account = try await live.signIn("Amara", through: app)
                        try await open(live)
                        try await app.signOut(account)
                        try await live.settle()
                        #expect(try await left(live) == [], "session \(number)")
                        #expect(try await live.shownReceipt().opened == ["abstract_socket"], "session \(number)")
                        #expect(try await results(live) == ["done", "done"], "session \(number)")
                    }
                    let clean = try await audit(live, "--compare", later, "--json")
                    let groups = try JSONDecoder().decode(AuditReport.self, from: Data(clean.output.utf8)).groups
                    // Other tests mount file systems at the same time.
                    let differences = groups.filter { $0.judgement != .kept }.flatMap(\.differences)
                    #expect(differences.filter { $0.kind != .mount } == [])
                }
            }
        }

        private func open(_ live: LiveEnvironment) async throws {
            let run = try await CommandRun(["browser", "--runtime-directory", live.path("run")], in: live.scratch)
            try #require(run.code == 0, "\(run.errors)")
        }

        /// What the newest receipt says of the files that browsers read.
        private func results(_ live: LiveEnvironment) async throws -> [String] {
            try await live.shownReceipt().items.filter { $0.name.hasPrefix("browser_") }.map(\.result)
        }

        /// The places in which the newest receipt says that something was left. The entry `browser_temporary` is left
        /// out: it is always named, because the folders of the tests' device are in `/tmp`.
        private func left(_ live: LiveEnvironment) async throws -> Set<String> {
            Set(try await live.shownReceipt().left).subtracting(["browser_temporary"])
        }

        /// How often the helper has searched the machine for folders in which session users may create files.
        private static func searches(of helper: RunningHelper) throws -> Int {
            try helper.program.log().split(separator: "\n").count { $0.contains("searched for folders") }
        }

        /// Asks the helper for a report, as the broker's user, and prints the answer.
        private static let asking = """
            import os, socket, struct, sys
            helper = socket.socket(socket.AF_UNIX); helper.connect(sys.argv[1])
            request = sys.argv[2].encode()
            helper.sendall(struct.pack(">I", len(request)) + request)
            def read(count):
                found = b""
                while len(found) < count: found += helper.recv(count - len(found)) or sys.exit(1)
                return found
            sys.stdout.buffer.write(read(struct.unpack(">I", read(4))[0]))
            """

        /// The files that the helper reports when the broker asks.
        private func reported(_ live: LiveEnvironment, _ helper: RunningHelper, since: Int) async throws -> Set<String>
        {
            let request = HelperRequest.report(user: Self.user, since: since)
            let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
            let answer = try await live.run(
                "/usr/bin/setpriv",
                arguments: [
                    "--reuid=\(LiveEnvironment.usersOfItsOwn.broker)", "--clear-groups", "/usr/bin/python3", "-c",
                    Self.asking, helper.socket, text,
                ])
            let reply = try JSONDecoder().decode(HelperReply.self, from: Data(answer.utf8))
            guard case .left(_, let files, _, _) = reply else { throw TestProblem("the helper does not report") }
            return Set(files)
        }

        private func audit(_ live: LiveEnvironment, _ arguments: String...) async throws -> CommandRun {
            let skipped = ["/opt", "/root", "/usr/lib", "/usr/share", Repository.root, live.path("logs")]
            return try await CommandRun(
                [
                    "device", "audit", "--config", live.configurationPath(of: .broker), "--agent-config",
                    live.configurationPath(of: .agent),
                ] + skipped.flatMap { ["--skip", $0] } + arguments, in: live.scratch)
        }
    }
}
