// SPDX-License-Identifier: Apache-2.0
import Glibc
import Processes
import TestSupport
import Testing

/// What `/proc` shows of processes that are starting.
@Suite struct ProcessTableTests {
    @Test func `a process during execve is read with the environment of its new program`() throws {
        for _ in 0..<200 {
            let process = try ChildProcess.spawn(
                executable: "/bin/sleep", arguments: ["600"], environment: ["BATON_MARK": "here"], output: .discarded)
            defer {
                process.kill()
                _ = try? process.waitForExit()
            }
            // posix_spawn(3) returns while the kernel is still setting up the new program.
            let entry = try #require(try ProcessTable.entry(process.pid))
            let table = ProcessTable(entries: [entry])
            #expect(try table.variables(beginning: "BATON_MARK=").map(\.1) == ["here"])
        }
    }

    @Test func `a process that this one descends from is not ended, and neither is this one`() throws {
        let table = try ProcessTable.read()
        let ancestry = table.ancestry(of: getpid()).map(\.pid)
        #expect(ancestry.first == getpid() && ancestry.dropFirst().first == getppid())
        // Processes end while the table is read, so a parent's id may have been reused.
        let ring = ProcessTable(
            entries: [(2, 3), (3, 2)].map {
                ProcessTable.Entry(pid: $0, parent: $1, group: 1, isZombie: false, startTime: 1)
            })
        #expect(ring.ancestry(of: 2).map(\.pid) == [2, 3])
        let names = Set(table.ancestry(of: getpid()).prefix(2).map(\.name))
        let failures = ProcessSweep.end([names], until: BootClock.now() + .seconds(10))
        #expect(failures == [ProcessFailure(step: .signal, errno: EPERM, pids: names.map(\.pid).sorted())])
    }

    @Test func `a group with a process that must go on does not keep the other groups from ending`() throws {
        let sleeping = try (0..<2).map { _ in
            try ChildProcess.spawn(
                executable: "/bin/sleep", arguments: ["600"], environment: [:], output: .discarded)
        }
        defer { for process in sleeping { _ = try? process.waitForExit() } }
        let names = try sleeping.map { try #require(try ProcessTable.entry($0.pid)?.name) }
        let me = try #require(try ProcessTable.entry(getpid())?.name)
        let ended = ProcessTable.Name(pid: me.pid, startTime: 0)
        let groups: [Set] = [[names[0]], [me, names[1]], [ended], []]
        let failures = ProcessSweep.end(groups, until: BootClock.now() + .seconds(10))
        #expect(failures == [nil, ProcessFailure(step: .signal, errno: EPERM, pids: [me.pid]), nil, nil])
        for process in sleeping { #expect(try ProcessTable.entry(process.pid)?.isZombie == true) }
        // After the deadline, no process is ended.
        let late = try ChildProcess.spawn(
            executable: "/bin/sleep", arguments: ["600"], environment: [:], output: .discarded)
        let name = try #require(try ProcessTable.entry(late.pid)?.name)
        #expect(ProcessSweep.end([[name], [ended]], until: .zero).map { $0?.errno } == [ETIMEDOUT, nil])
        #expect(try ProcessTable.entry(late.pid)?.isZombie == false)
        late.kill()
        _ = try late.waitForExit()
    }

    @Test func `a process whose first thread has ended has not ended`() async throws {
        // 60 is the number of exit(2), which ends the thread.
        let program = """
            import ctypes, os, socket, threading
            libc = ctypes.CDLL(None)
            first = ctypes.c_ulong(threading.main_thread().ident)
            def go_on():
                libc.pthread_join(first, None)
                socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
                threading.Event().wait()
            threading.Thread(target=go_on).start()
            libc.syscall(60, 0)
            """
        try await Scratch.with { scratch in
            let process = try await RunningProgram.start("/usr/bin/python3", ["-c", program], log: "log", in: scratch)
            #expect(try ProcessTable.entry(process.pid)?.isZombie == false)
        }
    }
}
