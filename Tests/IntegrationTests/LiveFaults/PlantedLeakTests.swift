// SPDX-License-Identifier: Apache-2.0
import DeviceAudit
import Foundation
import Glibc
import Leftovers
import Receipts
import TestSupport
import Testing

extension LiveFaults {
    /// Files that a session's user leaves outside the browser, everywhere on the device.
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

            /// The files of each entry of docs/leftovers.md; nil stands for files that no entry names.
            func files(_ mark: String) -> [(entry: String?, path: String)] {
                let inHome: [(String?, String)] = [
                    ("shell_history", ".bash_history"), ("shell_history", ".python_history"),
                    ("keyring", ".local/share/keyrings/login.keyring"),
                    ("recent_files", ".local/share/recently-used.xbel"),
                    ("thumbnails", ".cache/thumbnails/normal/1.png"),
                    ("desktop_trash", ".local/share/Trash/files/note"),
                    ("other_browsers", ".config/chromium/Default/Cookies"),
                    ("other_browsers", ".mozilla/firefox/p/c.sqlite"),
                    ("desktop_certificates", ".local/share/pki/nssdb/cert9.db"),
                    ("online_accounts", ".config/goa-1.0/accounts"),
                    ("search_indexes", ".cache/tracker3/files/meta.db"),
                    ("home", "plan.pdf"), ("home", "Documents/a b/plan.pdf"),
                ]
                return inHome.map { ($0.0, PlantedLeakTests.home + "/" + $0.1) } + [
                    ("temporary_files", "/tmp/leak-\(mark)-1"), ("temporary_files", "/tmp/.leak-\(mark)/note"),
                    ("temporary_files", "/tmp/leak-\(mark)-2/a/b/c/d/e/note"),
                    ("temporary_files", "/var/tmp/leak-\(mark)-3"), ("temporary_files", disk + "/note"),
                    ("temporary_files", disk + "/deep/er/note"), ("shared_memory", "/dev/shm/baton-test-\(mark)"),
                    ("shared_memory", "/dev/shm/baton-test-\(mark)-2/note"), ("runtime_files", runtime + "/note"),
                    ("runtime_files", runtime + "/app/state"), (nil, "/run/lock/baton-test-\(mark)"),
                    (nil, "/run/lock/baton-test-\(mark)-2/note"), (nil, open + "/note"), (nil, open + "/.hidden"),
                    (nil, open + "/a/b/c/note"), (nil, open + "/l\u{e4}nge"), (nil, open + "/with space"),
                ]
            }
        }

        /// The script, run by root because the home belongs to root, that leaves files of the user.
        private static func planting(_ files: [String]) -> String {
            files.map { file in
                let (top, folder) = (top(of: file), file.split(separator: "/").dropLast().map { "/" + $0 }.joined())
                return "mkdir -p '\(folder)'; echo note >'\(file)'; chown -R \(user):60 '\(top)'"
            }.joined(separator: "\n")
        }

        /// The first part of the path that did not exist before.
        private static func top(of file: String) -> String {
            let parents = [home, "/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/run/user/5"]
            let parent = parents.first { file.hasPrefix($0 + "/") } ?? "/run/" + file.split(separator: "/")[1]
            let rest = file.dropFirst(parent.count + 1).split(separator: "/")
            // The folder of the disk was there.
            let isOnDisk = parent == "/var/tmp" && rest.count > 1
            return parent + "/" + rest.prefix(isOnDisk ? 2 : 1).joined(separator: "/")
        }

        @Test func `the audit names thirty planted files, the receipt their places, and clean sessions none`()
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
            #expect(planted.count == 30)
            let removal = Set(planted.map { Self.top(of: $0.path) }).map { "rm -rf '\($0)'" }.joined(separator: "\n")
            try await live.withHelper { helper in
                try await live.awaitAgent()
                let app = try live.app(1)
                let snapshot = live.path("before-\(mark)")
                let save = try await audit(live, "--save", snapshot)
                #expect(save.code == 0, "\(save.output)")
                let searches = try Self.searches(of: helper)
                let account = try await live.signIn("Amara", through: app)
                // A search that began before the session is as good, because the folders were there.
                try await FolderWatch(live.scratch.path).until("searched") { try Self.searches(of: helper) > searches }
                let outcome: Result<Void, any Error>
                do {
                    try await live.run("/bin/sh", arguments: ["-ec", Self.planting(planted.map(\.path))])
                    #expect(try await app.signOut(account))
                    try await live.settle()
                    let expected = Set(planted.map { $0.entry ?? Receipt.unexplained })
                    #expect(try await left(live) == expected)
                    let found = try await audit(live, "--compare", snapshot, "--strict")
                    #expect(found.code == 1)
                    #expect(planted.filter { !found.output.contains("new file \($0.path)") }.map(\.path) == [])
                    outcome = .success(())
                } catch { outcome = .failure(error) }
                try await live.run("/bin/sh", arguments: ["-c", removal])
                try outcome.get()
                for number in 1...(Soak.isRunning ? 10 : 3) {
                    try await app.signOut(live.signIn("Amara", through: app))
                    try await live.settle()
                    #expect(try await left(live) == [], "session \(number)")
                }
                let clean = try await audit(live, "--compare", snapshot, "--json")
                let groups = try JSONDecoder().decode(AuditReport.self, from: Data(clean.output.utf8)).groups
                // Other tests mount file systems at the same time.
                let differences = groups.filter { $0.judgement != .kept }.flatMap(\.differences)
                #expect(differences.filter { $0.kind != .mount } == [])
            }
        }

        /// The places in which the newest receipt says that something was left. The folders of the tests' device are in
        /// `/tmp`, so that this entry is always named.
        private func left(_ live: LiveEnvironment) async throws -> Set<String> {
            Set(try await live.shownReceipt().left).subtracting(["browser_temporary"])
        }

        /// How often the helper has searched the machine for folders in which session users may create files.
        private static func searches(of helper: RunningHelper) throws -> Int {
            try helper.program.log().split(separator: "\n").count { $0.contains("searched for folders") }
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
