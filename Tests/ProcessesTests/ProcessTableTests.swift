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
