// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Processes
import TestSupport
import Testing
import UnixSocket

/// What `baton-helper` does at each request from the broker: one test for each kind of request and for each refusal.
@Suite struct HelperTests {
    private let epoch = Epoch.ID.random()
    private let user = RunningHelper.user

    // MARK: - Storage

    @Test func `storage is in memory, belongs to the session user alone, and is gone after its removal`() async throws {
        try await Scratch.with { scratch in
            let helper = try await RunningHelper.start(in: scratch)
            let made = try helper.ask(.makeStorage(epoch: epoch, user: user))
            let path = "\(helper.storage)/\(epoch)"
            #expect(made == .storage(path: path, isSwapFree: true))
            let options = try #require(try mountOptions(of: path))
            for option in ["nosuid", "nodev", "noexec", "noswap", "size=16384k", "mode=700", "uid=65534"] {
                #expect(options.contains(Substring(option)), "\(option)")
            }
            #expect(try await helper.userProgram("echo private > \(path)/file").exitCode() == 0)
            #expect(try await helper.userProgram("cat \(path)/file", as: 65_533).exitCode() != 0)
            // The same request, as after a restart of the broker, returns the same storage with its content.
            #expect(try helper.ask(.makeStorage(epoch: epoch, user: user)) == made)
            #expect(try textOfFile(path + "/file") == "private\n")
            #expect(try helper.ask(.list) == .sessions(storage: [epoch], groups: []))
            #expect(try helper.ask(.removeStorage(epoch: epoch)) == .done)
            #expect(try mountOptions(of: path) == nil)
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(try helper.ask(.list) == .sessions(storage: [], groups: []))
            // Removing missing storage is not an error, because the broker repeats what a crash interrupted.
            #expect(try helper.ask(.removeStorage(epoch: epoch)) == .done)
        }
    }

    @Test func `storage remains when the helper dies, and the next helper finds it`() async throws {
        try await Scratch.with { scratch in
            let helper = try await RunningHelper.start(in: scratch)
            _ = try helper.ask(.makeStorage(epoch: epoch, user: user))
            helper.program.kill()
            _ = try await helper.program.waitForExit()
            let second = try await RunningHelper.start(in: scratch)
            #expect(try second.ask(.list) == .sessions(storage: [epoch], groups: []))
            #expect(try second.ask(.removeStorage(epoch: epoch)) == .done)
            #expect(try second.ask(.list) == .sessions(storage: [], groups: []))
        }
    }

    @Test func `storage in use is not removed, and the refusal gives that reason`() async throws {
        try await Scratch.with { scratch in
            let helper = try await RunningHelper.start(in: scratch)
            _ = try helper.ask(.makeStorage(epoch: epoch, user: user))
            let path = "\(helper.storage)/\(epoch)"
            let fifo = try pipe("begun", in: scratch)
            let program = try helper.userProgram("cd \(path) && echo > \(fifo) && exec sleep 600")
            _ = try await blocking { try textOfFile(fifo) }
            #expect(try helper.refusal(.removeStorage(epoch: epoch)) == .storageBusy)
            #expect(try helper.ask(.list) == .sessions(storage: [epoch], groups: []))
            program.kill()
            _ = try await program.exitCode()
            #expect(try helper.ask(.removeStorage(epoch: epoch)) == .done)
        }
    }

    @Test func `storage is made only for session users, and for four sessions at once`() async throws {
        try await Scratch.with { scratch in
            let helper = try await RunningHelper.start(in: scratch)
            for stranger: UInt32 in [0, 1, 65_533] {
                #expect(try helper.refusal(.makeStorage(epoch: epoch, user: stranger)) == .userNotAllowed)
            }
            for _ in 0..<4 { #expect(try helper.refusal(.makeStorage(epoch: .random(), user: user)) == nil) }
            #expect(try helper.refusal(.makeStorage(epoch: epoch, user: user)) == .tooManySessions)
        }
    }

    // MARK: - Upgrade

    @Test func `a helper whose program was replaced ends with its last connection, and storage remains`() async throws {
        try await Scratch.with { scratch in
            let installed = try InstalledProgram("baton-helper", in: scratch)
            let helper = try await RunningHelper.start(file: installed.path, in: scratch)
            _ = try helper.ask(.makeStorage(epoch: epoch, user: user))
            try installed.replace()
            // Another connection, such as that of `baton doctor`, ends while the first connection is open.
            try helper.connect().connection.shutDown()
            #expect(try helper.ask(.list) == .sessions(storage: [epoch], groups: []))
            helper.disconnect()
            #expect(try await helper.program.waitForExit() == 0)
            let second = try await RunningHelper.start(file: installed.path, in: scratch)
            #expect(try second.ask(.list) == .sessions(storage: [epoch], groups: []))
            #expect(try second.ask(.removeStorage(epoch: epoch)) == .done)
        }
    }

    // MARK: - Processes

    @Test func `a session's processes are grouped and killed together, including detached ones`() async throws {
        try await Scratch.with { scratch in
            let helper = try await RunningHelper.start(in: scratch)
            let (gate, fifo) = (try pipe("gate", in: scratch), try pipe("begun", in: scratch))
            let ready = try pipe("ready", in: scratch)
            // The grandchild starts after its parent has joined the group. It has a session of its own and ignores
            // requests to end.
            let program = try helper.userProgram(
                "echo > \(ready); read x < \(gate); setsid sh -c 'trap \"\" TERM HUP; echo $$ > \(fifo); while :; do sleep 600; done' & wait"
            )
            // Until the program has written to `ready`, it may still run as root.
            _ = try await blocking { try textOfFile(ready) }
            #expect(try helper.ask(.addProcess(epoch: epoch, user: user), [program.pidfd]) == .done)
            try await blocking { try Data("go\n".utf8).write(to: URL(filePath: gate)) }
            let text = try await blocking { try textOfFile(fifo) }
            let pid = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            let detached = try ForeignProcess(pid: pid)
            #expect(try textOfFile("/proc/\(pid)/cgroup").contains("/session-\(epoch)"))
            #expect(try helper.ask(.list) == .sessions(storage: [], groups: [epoch]))
            // The user cannot take the process out of the group.
            #expect(try await helper.userProgram("echo \(pid) > \(helper.group)/cgroup.procs").exitCode() != 0)

            #expect(try helper.ask(.kill(epoch: epoch)) == .done)
            try await detached.waitForEnd()
            #expect(try await program.waited() == .signalled(SIGKILL))
            #expect(try helper.ask(.list) == .sessions(storage: [], groups: []))
            #expect(try helper.ask(.kill(epoch: epoch)) == .done)
        }
    }

    @Test func `only a running process of the session user is put into a group`() async throws {
        try await Scratch.with { scratch in
            let helper = try await RunningHelper.start(in: scratch)
            let request = HelperRequest.addProcess(epoch: epoch, user: user)
            let ofRoot = try helper.userProgram("exec sleep 600", as: 0)
            #expect(try helper.refusal(request, [ofRoot.pidfd]) == .processNotAllowed)
            let ofAnother = try helper.userProgram("exec sleep 600", as: 65_533)
            #expect(try helper.refusal(request, [ofAnother.pidfd]) == .processNotAllowed)
            let ended = try helper.userProgram("exit 0")
            _ = try await ended.exitCode()
            #expect(try helper.refusal(request, [ended.pidfd]) == .processMissing)
            #expect(try helper.refusal(request) == .processMissing)
            let file = Descriptor(owning: unsafe open("/dev/null", O_RDONLY))
            #expect(try helper.refusal(request, [file]) == .processMissing)
            #expect(try helper.refusal(request, [ofRoot.pidfd, ofRoot.pidfd]) == .processMissing)
            #expect(try helper.refusal(.addProcess(epoch: epoch, user: 0), [ofRoot.pidfd]) == .userNotAllowed)
            #expect(try helper.ask(.list) == .sessions(storage: [], groups: []))
        }
    }

    // MARK: - What is left

    @Test func `the report names the files that the user owns and has changed, and follows no link`() async throws {
        try await Scratch.with { scratch in
            let (user, mounts) = (UInt32(34), try await MountNamespace(.ownRoot, in: scratch))
            let helper = try await RunningHelper.start(user: "backup", through: mounts, in: scratch)
            let folder = "/tmp/baton-report"
            let began = Int(Date().timeIntervalSince1970)
            try await mounts.run(
                """
                setpriv --reuid=\(user) --clear-groups /bin/sh -e <<'END'
                umask 077; mkdir \(folder); mkdir \(folder)/inner; echo note > \(folder)/inner/note
                ln -s /etc \(folder)/etc; odd="\(folder)/$(printf '\\377')"; mkdir "$odd"; echo note > "$odd/note"
                END
                touch \(folder)/of-root
                """)
            let found = try report(helper, of: user, since: began)
            let mine = Set(found.files.filter { $0.hasPrefix(folder) })
            let expected = ["", "/inner", "/inner/note", "/etc", "/\\xff", "/\\xff/note"].map { folder + $0 }
            #expect(mine == Set(expected))
            #expect(found.unread.filter { $0 != .otherFolders } == [])
            #expect(try report(helper, of: user, since: began + 3600).files.isEmpty)
            #expect(try helper.refusal(.report(user: 0, since: 0)) == .userNotAllowed)
        }
    }

    @Test func `the report covers every folder in which the user may create files, on each file system`() async throws {
        try await Scratch.with { scratch in
            let (user, mounts) = (UInt32(34), try await MountNamespace(.ownRoot, in: scratch))
            let home = try #require(SystemUser(number: user)?.home)
            // Make a folder for everybody and one for the user alone, and mount a disk below the home.
            try await mounts.run(
                """
                mount -t tmpfs -o size=1m,mode=755 disk /mnt; mkdir -m 1777 /mnt/open; mkdir /mnt/own /mnt/closed
                chown \(user) /mnt/own; mount -t tmpfs -o size=1m home \(home); mkdir \(home)/drive
                mount -t tmpfs -o size=1m,mode=1777 drive \(home)/drive
                """)
            let helper = try await RunningHelper.start(user: "backup", through: mounts, in: scratch)
            try await searched(helper, in: scratch)
            let began = Int(Date().timeIntervalSince1970)
            let files = ["/mnt/open/note", "/mnt/own/note", "\(home)/drive/note", "/run/lock/baton-test"]
            try await mounts.run("setpriv --reuid=\(user) --clear-groups touch \(files.joined(separator: " "))")
            let found = try report(helper, of: user, since: began)
            #expect(Set(files).isSubset(of: found.files), "\(found.files)")
            #expect(found.unread == [])
        }
    }

    @Test func `what a session's user leaves in the home of another one is reported, and nothing else there`()
        async throws
    {
        try await Scratch.with { scratch in
            let (user, mounts) = (UInt32(34), try await MountNamespace(.ownRoot, in: scratch))
            let other = try #require(SystemUser(name: "news"))
            try await mounts.run(
                "mkdir -p \(other.home); mount -t tmpfs -o size=1m home \(other.home); mkdir -m 1777 \(other.home)/Public"
            )
            let helper = try await RunningHelper.start(user: "backup", others: ["news"], through: mounts, in: scratch)
            try await searched(helper, in: scratch)
            let began = Int(Date().timeIntervalSince1970)
            let file = other.home + "/Public/amara"
            try await mounts.run(
                """
                setpriv --reuid=\(user) --clear-groups touch \(file)
                setpriv --reuid=\(other.number) --clear-groups touch \(other.home)/Public/own
                """)
            let found = try report(helper, of: user, since: began)
            #expect(found.files.filter { $0.hasPrefix(other.home) } == [file])
            #expect(found.unread == [])
        }
    }

    @Test func `the report counts the user's subordinate ids as the user, and below the home everybody`() async throws {
        try await Scratch.with { scratch in
            let (user, mounts) = (UInt32(34), try await MountNamespace(.ownRoot, in: scratch))
            let home = try #require(SystemUser(number: user)?.home)
            try await mounts.giveSubordinates("backup:100000:65536", in: scratch)
            try await mounts.run("mount -t tmpfs -o size=1m home \(home)")
            let helper = try await RunningHelper.start(user: "backup", through: mounts, in: scratch)
            try await searched(helper, in: scratch)
            let began = Int(Date().timeIntervalSince1970)
            let files = ["/var/tmp/baton-test", "\(home)/of-root"]
            try await mounts.run(
                "setpriv --reuid=100007 --clear-groups touch \(files[0]); setpriv --reuid=0 touch \(files[1])")
            let found = try report(helper, of: user, since: began)
            #expect(Set(files).isSubset(of: found.files), "\(found.files)")
            #expect(found.unread == [])
            // If it is unknown which ids belong to the user, only the home counts as read.
            try await mounts.giveSubordinates("backup:100000", in: scratch)
            let unknown = try report(helper, of: user, since: began)
            #expect(unknown.unread == SearchedPlace.allCases.filter { $0 != .home })
            #expect(unknown.files.contains(files[1]) && !unknown.files.contains(files[0]))
        }
    }

    @Test func `a file system whose program never answers is not entered, and makes only its place unread`()
        async throws
    {
        try await Scratch.with { scratch in
            let (user, mounts) = (UInt32(34), try await MountNamespace(.ownRoot, in: scratch))
            let home = try #require(SystemUser(number: user)?.home)
            try await mounts.run("mount -t tmpfs -o size=1m home \(home); mkdir \(home)/silent")
            try await mounts.mountSilent(home + "/silent")
            let helper = try await RunningHelper.start(user: "backup", through: mounts, in: scratch)
            try await searched(helper, in: scratch)
            #expect(try report(helper, of: user, since: 0).unread == [.home])
        }
    }

    /// `make soak` also tries as many files as a folder can get in a few seconds.
    @Test(arguments: Soak.isRunning ? [200_001, 2_000_000] : [200_001])
    func `a folder with more files than a report may visit makes its place unread`(count: Int) async throws {
        try await Scratch.with { scratch in
            let (user, mounts) = (UInt32(34), try await MountNamespace(.ownRoot, in: scratch))
            let home = try #require(SystemUser(number: user)?.home)
            try await mounts.run("mount -t tmpfs -o size=200m,nr_inodes=0 home \(home)")
            try await mounts.makeLinks(count, below: home)
            let helper = try await RunningHelper.start(user: "backup", through: mounts, in: scratch)
            try await searched(helper, in: scratch)
            // No file has changed since this time, which is in the future, so the list of files stays short.
            let later = Int(Date().timeIntervalSince1970) + 3600
            // On a busy machine, the search may take so long that no second search begins. In that case, no place
            // counts as read completely.
            #expect(try report(helper, of: user, since: later).unread.contains(.home))
        }
    }

    /// A program that reacts each time the search has listed the folder `early` below the home. With `once`, it moves a
    /// file of the user there from a place that is searched later, and ends. With `again`, it changes the folder each
    /// time.
    private static let mover = """
        import ctypes, os, sys
        home, late, mode = sys.argv[1:]
        library = ctypes.CDLL(None)
        watch = library.inotify_init()
        CLOSE_NOWRITE, ISDIR = 0x10, 0x40000000
        library.inotify_add_watch(watch, (home + "/early").encode(), CLOSE_NOWRITE)
        print("watches", flush=True)
        while os.read(watch, 4096):
            open(home + "/early/note", "w").close()
            if mode == "once":
                os.unlink(late)
                print("moved", flush=True)
                break
            os.unlink(home + "/early/note")
            print("changed", flush=True)
        """

    @Test(arguments: ["once", "again"])
    func `a file that moves into a folder that was already searched is found, or the folder's place is unread`(
        mode: String
    ) async throws {
        try await Scratch.with { scratch in
            let (user, mounts) = (UInt32(34), try await MountNamespace(.ownRoot, in: scratch))
            let home = try #require(SystemUser(number: user)?.home)
            let (late, many) = ("/dev/shm/baton-test", "/var/tmp/baton-test")
            // After the home and before the file's first place, the search reads a folder that takes time.
            try await mounts.run(
                """
                mount -t tmpfs -o size=1m,mode=755 home \(home); mkdir \(home)/early; chown \(user) \(home)/early
                mkdir \(many); mount -t tmpfs -o size=200m,nr_inodes=0 many \(many)
                setpriv --reuid=\(user) --clear-groups touch \(late)
                """)
            try await mounts.makeLinks(100_000, below: many)
            let helper = try await RunningHelper.start(user: "backup", through: mounts, in: scratch)
            try await searched(helper, in: scratch)
            let mover = try await RunningProgram.start(
                mounts.entrance[0],
                mounts.entrance.dropFirst() + [
                    "setpriv", "--reuid=\(user)", "--clear-groups", "/usr/bin/python3", "-c", Self.mover, home, late,
                    mode,
                ], log: "mover.log", awaitsReady: false, in: scratch)
            let watch = try FolderWatch(scratch.path)
            try await watch.until("watches") { try mover.log().contains("watches") }
            let found = try report(helper, of: user, since: Int(Date().timeIntervalSince1970) - 60)
            if mode == "once" {
                try await watch.until("moved") { try mover.log().contains("moved") }
                #expect(found.files.contains(home + "/early/note") && found.unread == [])
            } else {
                #expect(found.unread == [.home])
            }
        }
    }

    @Test func `a folder whose name is no plain text makes the other folders unread`() async throws {
        try await Scratch.with { scratch in
            let mounts = try await MountNamespace(.ownRoot, in: scratch)
            try await mounts.run(
                #"mount -t tmpfs -o size=1m,mode=755 disk /mnt; mkdir -m 1777 "/mnt/$(printf 'a\nb')""#)
            let helper = try await RunningHelper.start(user: "backup", through: mounts, in: scratch)
            try await searched(helper, in: scratch)
            #expect(try report(helper, of: 34, since: 0).unread == [.otherFolders])
        }
    }

    @Test func `a session looks for new folders, and a report before the search has ended says so`() async throws {
        try await Scratch.with { scratch in
            let (user, mounts) = (UInt32(34), try await MountNamespace(.ownRoot, in: scratch))
            // These files keep the first search running until after the first report.
            try await mounts.run("mkdir /many; mount -t tmpfs -o size=200m,nr_inodes=0,mode=755 many /many")
            try await mounts.makeLinks(100_000, below: "/many")
            let helper = try await RunningHelper.start(user: "backup", through: mounts, in: scratch)
            let early = try report(helper, of: user, since: 0)
            #expect(early.unread.contains(.otherFolders) && early.folders == nil)
            try await mounts.run("find /many -mindepth 1 -delete")
            try await searched(helper, in: scratch)
            // The clock counts from the machine's start, because the time of day may be set back.
            let began = try #require(try report(helper, of: user, since: 0).folders)
            #expect(began <= Int(BootClock.now().components.seconds))
            try await mounts.run("mount -t tmpfs -o size=1m,mode=755 disk /mnt; mkdir -m 1777 /mnt/open")
            #expect(try helper.refusal(.makeStorage(epoch: epoch, user: user)) == nil)
            try await searched(helper, 2, in: scratch)
            let now = Int(Date().timeIntervalSince1970)
            try await mounts.run("setpriv --reuid=\(user) --clear-groups touch /mnt/open/note")
            let found = try report(helper, of: user, since: now)
            // Tests that run at the same time make such folders and remove them, so the number of these folders proves
            // nothing.
            #expect(found.files.contains("/mnt/open/note") && found.folders != nil, "\(found)")
            #expect(try helper.ask(.removeStorage(epoch: epoch)) == .done)
        }
    }

    /// Waits until the helper has searched the machine for writable folders this many times.
    private func searched(_ helper: RunningHelper, _ times: Int = 1, in scratch: Scratch) async throws {
        let program = helper.program
        try await FolderWatch(scratch.path).until("searched") {
            try program.log().split(separator: "\n").count { $0.contains("searched for folders") } >= times
        }
    }

    private func report(
        _ helper: RunningHelper, of user: UInt32, since: Int
    ) throws -> (files: [String], unread: [SearchedPlace], folders: Int?) {
        guard case .left(_, let files, let unread, let folders) = try helper.ask(.report(user: user, since: since))
        else {
            throw TestProblem("the helper does not report")
        }
        return (files, unread, folders)
    }

    // MARK: - Callers

    @Test func `another user is refused, whatever the mode of the socket`() async throws {
        try await Scratch.with { scratch in
            let helper = try await RunningHelper.start(in: scratch)
            #expect(try permissions(of: helper.socket) == 0o600)
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: helper.socket)
            let answer = scratch.path("answer")
            try Data().write(to: URL(filePath: answer))
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: answer)
            let program = try helper.userProgram("python3 -c '\(Self.call)' \(helper.socket) > \(answer)")
            #expect(try await program.exitCode() == 0)
            #expect(try textOfFile(answer).contains("caller_not_allowed"))
            #expect(try helper.ask(.list) == .sessions(storage: [], groups: []))
        }
    }

    /// A program that asks for storage and prints the reply.
    private static let call = """
        import socket, sys
        there = socket.socket(socket.AF_UNIX)
        there.settimeout(60)
        there.connect(sys.argv[1])
        print(there.makefile("rb").read())
        """

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"list":{}"#, #"{"run":{"program":"/bin/sh"}}"#, #"{"list":{},"kill":{}}"#,
        #"{"makeStorage":{"epoch":"../../etc","user":65534}}"#, #"{"makeStorage":{"epoch":"00","user":65534}}"#,
        #"{"makeStorage":{"epoch":"0123456789abcdef0123456789abcdef","user":-1}}"#,
        #"{"report":{"user":65534,"since":1e400}}"#,
    ])
    func `a malformed request is refused, and ends only its own connection`(text: String) async throws {
        try await Scratch.with { scratch in
            let helper = try await RunningHelper.start(in: scratch)
            let other = try helper.connect()
            let channel = try helper.connect()
            try channel.connection.write(Array(text.utf8))
            guard case .refused(let refusal) = try channel.receive().message else {
                Issue.record("\(text) was carried out")
                return
            }
            #expect(refusal.code == .requestMalformed)
            #expect(throws: FrameConnection.ReadFailure.ended) { try channel.receive() }
            try other.send(.list)
            #expect(try other.receive().message == .sessions(storage: [], groups: []))
        }
    }

    @Test func `a fifth connection is closed, and is accepted again once another one has ended`() async throws {
        try await Scratch.with { scratch in
            let helper = try await RunningHelper.start(in: scratch)
            // The first connection is the one that RunningHelper itself uses.
            var channels = try (0..<3).map { _ in try helper.connect() }
            for channel in channels {
                try channel.send(.list)
                _ = try channel.receive()
            }
            let fifth = try helper.connect()
            #expect(throws: FrameConnection.ReadFailure.ended) { try fifth.receive() }
            channels.removeFirst().connection.shutDown()
            // If an attempt comes too early, the helper closes its connection without a reply.
            var reply: HelperReply?
            while reply == nil {
                let channel = try helper.connect()
                if (try? channel.send(.list)) != nil { reply = try? channel.receive().message }
            }
            #expect(reply == .sessions(storage: [], groups: []))
        }
    }

    @Test(
        arguments: [
            (["--user", "nobody", "--broker", "no-such-user"], "no user no-such-user"),
            (["--user", "no-such-user", "--broker", "root"], "no user no-such-user"), ([], "at least one --user"),
            (["--user", "nobody", "--storage", "sessions"], "absolute path"),
            (["--user", "nobody", "--storage", "/run/baton-helper/sessions2"], "26 bytes"),
            (["--user", "nobody", "--storage-size", "0"], "16 to 65536"),
        ] as [([String], String)])
    func `a wrong command line is refused with a specific error`(arguments: [String], text: String) async throws {
        try await Scratch.with { scratch in
            let program = try await RunningProgram.start(
                RunningProgram.built("baton-helper"), arguments + ["--socket", scratch.path("s")], log: "log",
                awaitsReady: false, in: scratch)
            #expect(try await program.waitForExit() == 64)
            #expect(try program.log().contains(text))
        }
    }

    @Test func `a storage folder that other users may change is refused`() async throws {
        try await Scratch.with { scratch in
            let folder = scratch.path("f")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
            let program = try await RunningProgram.start(
                RunningProgram.built("baton-helper"),
                ["--broker", "root", "--user", "nobody", "--storage", folder, "--socket", scratch.path("s")],
                log: "log", awaitsReady: false, in: scratch)
            #expect(try await program.waitForExit() == 1)
            #expect(try program.log().contains("can be changed by others"))
        }
    }

    // MARK: - Tools

    /// A named pipe that everybody may use.
    private func pipe(_ name: String, in scratch: Scratch) throws -> String {
        let path = scratch.path(name)
        let isMade = unsafe mkfifo(path, 0o666) == 0 && chmod(path, 0o666) == 0
        try #require(isMade)
        return path
    }

    private func mountOptions(of path: String) throws -> [Substring]? {
        let line = try textOfFile("/proc/self/mountinfo").split(separator: "\n").first { $0.contains(" \(path) ") }
        return line?.split { $0 == " " || $0 == "," }
    }

    private func permissions(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}

extension ChildProcess {
    fileprivate func waited() async throws -> Processes.ExitStatus { try await blocking { try self.waitForExit() } }

    fileprivate func exitCode() async throws -> Int32? {
        guard case .exited(let code) = try await waited() else { return nil }
        return code
    }
}
