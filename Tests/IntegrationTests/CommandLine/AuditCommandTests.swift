// SPDX-License-Identifier: Apache-2.0
import DeviceAudit
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

/// `baton device audit` with a device's folders and a real user who leaves something of every kind.
///
/// The tests run one after the other, because all of them leave files as the same user.
@Suite(.serialized) struct AuditCommandTests {
    /// A device without programs. No other test uses its session user, and its mount namespace hides the mounts of
    /// other tests.
    private struct Device {
        static let user = (name: "uucp", number: UInt32(10))

        let scratch: Scratch
        let folder: String
        let mounts: MountNamespace

        init(_ scratch: Scratch) async throws {
            guard geteuid() == 0 else { throw TestProblem("only root can leave something as another user") }
            mounts = try await MountNamespace(in: scratch)
            self.scratch = scratch
            folder = scratch.path("audited")
            for name in ["", "/device", "/device/session", "/profiles"] {
                try FileManager.default.createDirectory(atPath: folder + name, withIntermediateDirectories: false)
            }
            try write(
                #"{"directory": "\#(folder)/device", "runtimeDirectory": "/x", "sessionUsers": [\#(Self.user.number)]}"#,
                to: "batond.json")
            try write(
                """
                {"socket": "/x/agent.sock",
                 "browser": {"command": ["/usr/bin/true", "{profile}", "{url}"], "profiles": "\(folder)/profiles"}}
                """, to: "baton-agent.json")
        }

        func write(_ text: String, to name: String) throws {
            try text.write(toFile: folder + "/" + name, atomically: false, encoding: .utf8)
        }

        func audit(_ arguments: String...) async throws -> CommandRun {
            try await CommandRun(words(arguments), through: mounts.entrance, in: scratch)
        }

        /// Runs the audit as the session user, who may not read everything.
        func auditAsUser(_ arguments: String...) async throws -> CommandRun {
            let user = ["/usr/bin/setpriv", "--reuid=\(Self.user.number)", "--clear-groups"]
            return try await CommandRun(words(arguments), through: mounts.entrance + user, in: scratch)
        }

        private func words(_ arguments: [String]) -> [String] {
            [
                "device", "audit", "--config", folder + "/batond.json", "--agent-config",
                folder + "/baton-agent.json",
            ] + Self.skipped.flatMap { ["--skip", $0] } + arguments
        }

        /// Large folders in which this user leaves nothing.
        private static let skipped = ["/opt", "/root", "/usr", Repository.root]

        /// The kinds of the items found, by the name of the entry that explains them. Leaves out items that are left by
        /// design.
        func found(_ run: CommandRun) throws -> [String: [AuditItem.Kind]] {
            let report = try JSONDecoder().decode(AuditReport.self, from: Data(run.output.utf8))
            let groups = report.groups.filter { $0.judgement != .kept }.map { group in
                (group.entry ?? "", group.differences.map(\.kind))
            }
            return Dictionary(uniqueKeysWithValues: groups)
        }
    }

    /// Leaves a file, two objects of shared memory, and a process that holds an abstract socket and a port open. One of
    /// the two objects is given to another user (shmctl(2)).
    private static let leaver = """
        import ctypes, os, signal, socket, sys
        ready, done = os.pipe()
        child = os.fork()
        if child:
            os.read(ready, 1)
            print(child)
            sys.exit()
        open(sys.argv[1], "w").close()
        near, far = socket.socket(socket.AF_UNIX), socket.socket()
        near.bind("\\0" + sys.argv[2])
        near.listen()
        far.bind(("127.0.0.1", 0))
        far.listen()
        libc = ctypes.CDLL(None)
        libc.shmget(int(sys.argv[3]), 4096, 0o1600)
        given, status = libc.shmget(int(sys.argv[4]), 4096, 0o1600), (ctypes.c_uint32 * 64)()
        assert libc.shmctl(given, 2, status) == 0
        status[1] = 65533
        assert libc.shmctl(given, 1, status) == 0
        os.close(1)
        os.close(2)
        os.write(done, b"1")
        signal.pause()
        """

    @Test func `a file beside those of the browser's extension, or a changed one, is found`() async throws {
        try await Scratch.with { scratch in
            let device = try await Device(scratch)
            let saved = scratch.path("saved")
            #expect(try await device.audit("--save", saved).code == 0)
            try FileManager.default.createDirectory(
                atPath: device.folder + "/profiles/extension", withIntermediateDirectories: false)
            try device.write("packed", to: "profiles/extension/chromium.crx")
            #expect(try await device.audit("--compare", saved).code == 0)
            try device.write("planted", to: "profiles/extension/manifest.json")
            let run = try await device.audit("--compare", saved, "--json")
            #expect(run.code == 1)
            #expect(try device.found(run) == ["browser_profile": [.file]])
            try FileManager.default.removeItem(atPath: device.folder + "/profiles/extension/manifest.json")
            let packed = scratch.path("packed")
            #expect(try await device.audit("--save", packed).code == 0)
            try device.write("another", to: "profiles/extension/chromium.crx")
            let changed = try await device.audit("--compare", packed)
            #expect(changed.code == 1)
            #expect(changed.output.contains("changed file \(device.folder)/profiles/extension/chromium.crx"))
            #expect(changed.output.contains("1 unexplained"))
        }
    }

    @Test func `a file where Firefox is started for the first time is found`() async throws {
        try await Scratch.with { scratch in
            let device = try await Device(scratch)
            let saved = scratch.path("saved")
            #expect(try await device.audit("--save", saved).code == 0)
            try FileManager.default.createDirectory(
                atPath: device.folder + "/profiles/first-start/firefox", withIntermediateDirectories: true)
            try device.write("planted", to: "profiles/first-start/firefox/baton.cfg")
            let run = try await device.audit("--compare", saved, "--json")
            #expect(run.code == 1)
            #expect(try device.found(run) == ["browser_profile": [.file, .file, .file]])
        }
    }

    @Test func `folders on other file systems are read, and those of a program that never answers are named`()
        async throws
    {
        try await Scratch.with { scratch in
            let device = try await Device(scratch)
            try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: scratch.path)
            let (disk, silent, saved) = (scratch.path("disk"), scratch.path("silent"), scratch.path("saved"))
            try await device.mounts.run(
                "mkdir \(disk) \(silent); mount -t tmpfs -o size=1m,mode=1777 disk \(disk)")
            try await device.mounts.mountSilent(silent)
            #expect(try await device.audit("--save", saved).code == 77)
            try await device.mounts.run("setpriv --reuid=\(Device.user.number) --clear-groups touch \(disk)/note")
            let run = try await device.audit("--compare", saved)
            #expect(run.code == 1 && run.output.contains("new file \(disk)/note"), "\(run)")
            #expect(run.output.contains("could not be read: \(silent) (a file system of type fuse is not read)"))
        }
    }

    @Test func `what a user leaves as a subordinate id is found, and a malformed list of these ids is named`()
        async throws
    {
        try await Scratch.with { scratch in
            let device = try await Device(scratch)
            let (saved, file) = (scratch.path("saved"), "/var/tmp/baton-test-\(UUID().uuidString)")
            try await device.mounts.giveSubordinates("\(Device.user.name):100000:65536", in: scratch)
            #expect(try await device.audit("--save", saved).code == 0)
            scratch.atEnd { _ = unsafe unlink(file) }
            try await device.mounts.run("setpriv --reuid=100007 --clear-groups touch \(file)")
            let run = try await device.audit("--compare", saved)
            #expect(run.output.contains("new file \(file)"), "\(run)")
            try await device.mounts.giveSubordinates("\(Device.user.name):100000", in: scratch)
            let unknown = try await device.audit("--compare", saved)
            #expect(unknown.code == 77, "\(unknown)")
            #expect(unknown.output.contains("could not be read: files of subordinate user ids (a line is malformed)"))
        }
    }

    @Test func `without session users, the audit says that it could not look for what they leave`() async throws {
        try await Scratch.with { scratch in
            let device = try await Device(scratch)
            try device.write(#"{"directory": "\#(device.folder)/device", "runtimeDirectory": "/x"}"#, to: "batond.json")
            let saved = scratch.path("saved")
            for option in ["--save", "--compare"] {
                let run = try await device.audit(option, saved)
                #expect(run.code == 77)
                #expect(run.output.contains("could not be read: what session users leave (sessionUsers names nobody)"))
            }
        }
    }

    @Test func `a configuration that is named and not there is refused, and what is skipped is named`() async throws {
        try await Scratch.with { scratch in
            let device = try await Device(scratch)
            let saved = scratch.path("saved")
            let missing = try await device.audit("--save", saved, "--agent-config", scratch.path("typo.json"))
            #expect(missing.code == 1 && missing.errors.contains("configuration_unreadable"))
            #expect(!FileManager.default.fileExists(atPath: saved))
            try device.write(#"{"directory": "\#(device.folder)/none", "runtimeDirectory": "/x"}"#, to: "other.json")
            let elsewhere = try await device.audit("--save", saved, "--config", device.folder + "/other.json")
            #expect(elsewhere.code == 1 && elsewhere.errors.contains("state_missing"))
            #expect(try await device.audit("--save", saved, "--skip", "/srv").code == 0)
            let compared = try await device.audit("--compare", saved, "--skip", "/srv")
            #expect(compared.output.contains("not looked into: /srv\n"))
        }
    }

    @Test func `everything that a user leaves is found under its entry, and nothing after its removal`() async throws {
        try await Scratch.with { scratch in
            let device = try await Device(scratch)
            let (saved, key) = (scratch.path("saved"), Int32.random(in: 1...Int32.max))
            let given = Int32.random(in: 1...Int32.max)
            #expect(try await device.audit("--save", saved).code == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: saved)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let file = "/var/tmp/baton-test-\(UUID().uuidString)"
            let leaver = try await RunningProgram.start(
                "/usr/bin/setpriv",
                [
                    "--reuid=\(Device.user.number)", "--clear-groups", "/usr/bin/python3", "-c", Self.leaver, file,
                    "baton-test-\(key)", "\(key)", "\(given)",
                ], log: "leaver", awaitsReady: false, in: scratch)
            #expect(try await leaver.waitForExit() == 0)
            let pid = try #require(Int32(try leaver.log().split(separator: "\n").last ?? ""))
            scratch.atEnd {
                _ = Glibc.kill(pid, SIGKILL)
                _ = unsafe unlink(file)
            }
            try device.write("sealed", to: "device/session/worker.sealed")
            try device.write("what is this", to: "device/surprise")
            try device.write("cookies", to: "profiles/Cookies")

            let during = try await device.audit("--compare", saved, "--json")
            #expect(during.code == 1)
            #expect(
                try device.found(during) == [
                    "": [.file], "session_files": [.file], "browser_profile": [.file], "temporary_files": [.file],
                    "session_programs": [.process], "abstract_sockets": [.socket], "listening_ports": [.listener],
                    "system_v_objects": [.ipc, .ipc],
                ])
            let text = try await device.audit("--compare", saved)
            #expect(
                text.output.contains(
                    "unexplained: no entry of docs/reference/leftovers.md\n"
                        + "  new file \(device.folder)/device/surprise"))
            #expect(text.output.contains("new process \(pid) /usr/bin/python3"))

            for name in ["device/session/worker.sealed", "device/surprise", "profiles/Cookies"] {
                try FileManager.default.removeItem(atPath: device.folder + "/" + name)
            }
            // Items that Baton does not clear are findings only on request.
            #expect(try await device.audit("--compare", saved).code == 0)
            #expect(try await device.audit("--compare", saved, "--strict").code == 1)
            _ = Glibc.kill(pid, SIGKILL)
            try await run("/usr/bin/ipcrm", ["-M", "\(key)", "-M", "\(given)"], in: scratch)
            _ = unsafe unlink(file)
            let after = try await device.audit("--compare", saved, "--json")
            #expect(after.code == 0)
            #expect(try device.found(after) == [:], "\(after.output)")
        }
    }

    private func run(_ program: String, _ arguments: [String], in scratch: Scratch) async throws {
        let run = try await RunningProgram.start(program, arguments, log: "tool", awaitsReady: false, in: scratch)
        #expect(try await run.waitForExit() == 0)
    }

    @Test func `a folder that the caller may not read is named, and the device does not count as clean`() async throws {
        try await Scratch.with { scratch in
            let device = try await Device(scratch)
            for path in [scratch.path, device.folder] {
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: device.folder + "/device")
            let saved = device.folder + "/profiles/saved"
            guard unsafe chown(device.folder + "/profiles", Device.user.number, 0) == 0 else {
                throw TestProblem("chown")
            }
            let save = try await device.auditAsUser("--save", saved)
            #expect(save.code == 77 && save.output.contains("could not be read: \(device.folder)/device ("), "\(save)")
            let run = try await device.auditAsUser("--compare", saved)
            #expect(run.code == 77 && run.output.contains("could not be read: \(device.folder)/device ("), "\(run)")
            // A folder that the user cannot enter cannot contain a file of the user, so the folder is not reported.
            #expect(!run.output.contains("could not be read: /lost+found"))
        }
    }

    @Test func `after a restart of the machine, the device does not count as clean`() async throws {
        try await Scratch.with { scratch in
            let device = try await Device(scratch)
            let saved = scratch.path("saved")
            #expect(try await device.audit("--save", saved).code == 0)
            // Processes and sockets cannot be compared with a snapshot from before a restart of the machine.
            let text = try textOfFile(saved).replacing(/"boot":"[^"]*"/, with: #""boot":"another""#, maxReplacements: 1)
            try text.write(toFile: saved, atomically: false, encoding: .utf8)
            let run = try await device.audit("--compare", saved)
            #expect(run.code == 77 && run.output.contains("could not be read: processes, sockets"), "\(run.output)")
        }
    }

    @Test func `a snapshot is not compared with a device of which other places are looked at`() async throws {
        try await Scratch.with { scratch in
            let device = try await Device(scratch)
            let snapshot = device.folder + "/before"
            #expect(try await device.audit("--save", snapshot, "--skip", "/srv", "--skip", "/var").code == 0)
            // Neither the order of the skipped places nor a repetition matters.
            let same = try await device.audit(
                "--compare", snapshot, "--skip", "/var", "--skip", "/srv", "--skip", "/srv")
            #expect(same.code == 0, "\(same.output) \(same.errors)")
            let fewer = try await device.audit("--compare", snapshot, "--skip", "/var", "--json")
            #expect(fewer.code == 1 && fewer.errors.contains("\"snapshot_scope_differs\""))
            try device.write(#"{"directory": "\#(device.folder)/device", "runtimeDirectory": "/x"}"#, to: "batond.json")
            let users = try await device.audit("--compare", snapshot, "--skip", "/srv", "--skip", "/var")
            #expect(users.code == 1 && users.errors.contains("--skip as with --save"), "\(users.errors)")
        }
    }

    @Test func `an impossible comparison is refused with the reason`() async throws {
        try await Scratch.with { scratch in
            let device = try await Device(scratch)
            let saved = scratch.path("saved")
            try "old".write(toFile: saved, atomically: false, encoding: .utf8)
            for (arguments, code) in [
                (["--save", saved], "snapshot_exists"), (["--compare", saved], "snapshot_unreadable"),
                (["--compare", saved + "-none"], "snapshot_unreadable"),
                (["--compare", saved, "--config", "/nowhere"], "snapshot_unreadable"),
                (["--save", saved + "2", "--config", "/nowhere"], "configuration_unreadable"),
                (["--save", saved + "2", "--agent-config", saved], "configuration_unreadable"),
            ] {
                let run = try await CommandRun(
                    [
                        "device", "audit", "--config", device.folder + "/batond.json", "--agent-config",
                        device.folder + "/baton-agent.json", "--json", "--skip", "/",
                    ] + arguments, in: scratch)
                #expect(try run.code == 1 && CommandRun.Failure(run.errors).error.code == code, "\(arguments)")
            }
            #expect(try textOfFile(saved) == "old")
            #expect(try await device.audit("--save", saved, "--compare", saved).code == 64)
            #expect(try await device.audit().code == 64)
        }
    }
}
