// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Processes
internal import UnixSocket

/// A process that another program started, held by a pidfd. A later process with the same pid is not mistaken for it.
package final class ForeignProcess: Sendable {
    package let pid: Int32
    private let pidfd: Descriptor

    package init(pid: Int32) throws {
        let number = clinux_pidfd_open(pid)
        guard number >= 0 else { throw TestProblem("pidfd: error \(-number)") }
        self.pid = pid
        pidfd = Descriptor(owning: number)
    }

    package var hasEnded: Bool { pidfd.isReadable(within: 0) }

    /// Ends the process as a crash would (`SIGKILL`). Does nothing if it has already ended.
    package func kill() { send(9) }

    /// Sends a signal. Does nothing if the process has already ended.
    package func send(_ signal: Int32) { _ = pidfd.withNumber { clinux_pidfd_send_signal($0, signal) } }

    /// Waits until the process has ended, no matter which process reaps it.
    ///
    /// - Throws: ``TestProblem`` after 60 s.
    package func waitForEnd() async throws {
        // waitid(2) waits for children only. The descriptor of any process becomes readable when it ends.
        try await blocking { [self] in
            var question = pollfd(fd: pidfd.withNumber { $0 }, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&question, 1, 60_000) == 1 else { throw TestProblem("process \(pid) does not end") }
        }
    }
}

/// The processes that `pid` started and that have not been reaped.
package func children(of pid: Int32) throws -> [Int32] {
    let folder = "/proc/\(pid)/task"
    return try FileManager.default.contentsOfDirectory(atPath: folder).flatMap { thread -> [Int32] in
        do {
            return try textOfFile("\(folder)/\(thread)/children").split(separator: " ").compactMap { Int32($0) }
        } catch  where !FileManager.default.fileExists(atPath: "\(folder)/\(thread)") {
            // The thread has ended meanwhile, and its children were passed on to another thread.
            return []
        }
    }
}
