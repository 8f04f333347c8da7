// SPDX-License-Identifier: Apache-2.0
import Glibc
import Processes
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
}
