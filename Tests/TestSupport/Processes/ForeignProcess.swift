// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import FoundationEssentials
internal import Processes
internal import UnixSocket

/// A process that somebody else started, a test's program for one; told from any later one with the same number.
package final class ForeignProcess: Sendable {
    package let pid: Int32
    private let pidfd: Descriptor

    package init(pid: Int32) throws {
        let number = clinux_pidfd_open(pid)
        guard number >= 0 else { throw TestProblem("pidfd: error \(-number)") }
        self.pid = pid
        pidfd = Descriptor(owning: number)
    }

    /// Ends the process as a crash would (`SIGKILL`); one that has ended already is fine.
    package func kill() { send(9) }

    /// Sends a signal; a process that has ended already is fine.
    package func send(_ signal: Int32) { _ = pidfd.withNumber { clinux_pidfd_send_signal($0, signal) } }

    /// Waits until the process has ended, whoever reaps it.
    package func waitForEnd() async throws {
        try await blocking { [self] in _ = pidfd.withNumber { clinux_await_exit($0) } }
    }
}

/// The processes that `pid` started and that have not been reaped.
package func children(of pid: Int32) throws -> [Int32] {
    let folder = "/proc/\(pid)/task"
    return try FileManager.default.contentsOfDirectory(atPath: folder).flatMap { thread in
        try textOfFile("\(folder)/\(thread)/children").split(separator: " ").compactMap { Int32($0) }
    }
}
