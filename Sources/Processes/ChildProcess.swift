// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import Synchronization
package import UnixSocket

/// A child process in its own process group, held by a pidfd, which never refers to another process.
///
/// It has default signal handling and only the open files that it was given. Call ``waitForExit()`` eventually;
/// otherwise an ended child remains as a zombie.
package final class ChildProcess: Sendable {
    /// The process id, for logs. It is also the id of the process group.
    package let pid: Int32
    /// Becomes readable for `poll(2)` when the process has ended.
    package let pidfd: Descriptor
    private let status = Mutex<ExitStatus?>(nil)

    private init(pid: Int32, pidfd: Descriptor) {
        self.pid = pid
        self.pidfd = pidfd
    }

    /// Where standard output and standard error go if they are not among the given descriptors.
    package enum Output: Sendable {
        /// To the standard output and standard error of this process.
        case inherited
        /// To `/dev/null`.
        case discarded
    }

    /// Starts `executable` (a path; `PATH` is not searched) with exactly this environment.
    ///
    /// - Parameters:
    ///   - name: The program's name in the process list; the path if nil.
    ///   - arguments: The arguments after the program's name.
    ///   - descriptors: At most eight open files and their numbers (0 to 65535) in the new process. Standard input is
    ///     `/dev/null` unless it is among them.
    /// - Throws: ``ProcessFailure``, with `ENOENT` or `EACCES` if the program does not exist or cannot be executed.
    package static func spawn(
        executable: String, name: String? = nil, arguments: [String], environment: [String: String],
        descriptors: [(Descriptor, as: Int32)] = [], output: Output = .inherited
    ) throws(ProcessFailure) -> ChildProcess {
        let variables = environment.map { "\($0.key)=\($0.value)" }
        // `descriptors` keeps the objects alive.
        let sources = descriptors.map { $0.0.withNumber { $0 } }
        let pid = unsafe withCStrings([name ?? executable] + arguments) { arguments in
            unsafe withCStrings(variables) { environment in
                unsafe clinux_spawn(
                    executable, arguments, environment, sources, descriptors.map(\.as), Int32(sources.count),
                    output == .inherited ? 1 : 0)
            }
        }
        guard pid > 0 else { throw ProcessFailure(step: .spawn, errno: -pid) }
        return try adopt(pid)
    }

    /// Starts a program to which the kernel sends `SIGTERM` when this process ends for any reason.
    ///
    /// - Parameters:
    ///   - wrapper: A command that starts the program, such as `unshare`, with its own arguments.
    ///   - executable: A path. The caller has checked that it exists.
    /// - Throws: ``ProcessFailure``.
    package static func spawnBound(
        through wrapper: [String] = [], executable: String, arguments: [String], environment: [String: String],
        descriptors: [(Descriptor, as: Int32)] = [], output: Output = .inherited
    ) throws(ProcessFailure) -> ChildProcess {
        // setpriv comes last, because the kernel drops the parent-death signal if the credentials change afterwards.
        let words = wrapper + ["/usr/bin/setpriv", "--pdeathsig", "TERM", "--", executable] + arguments
        let outcome: Result<ChildProcess, ProcessFailure>
        do throws(ThreadFailure) {
            outcome = try DetachedThread.run {
                Result { () throws(ProcessFailure) in
                    try spawn(
                        executable: words[0], arguments: Array(words.dropFirst()), environment: environment,
                        descriptors: descriptors, output: output)
                }
            }
        } catch { throw ProcessFailure(step: .spawn, errno: error.errno) }
        return try outcome.get()
    }

    private static func adopt(_ pid: Int32) throws(ProcessFailure) -> ChildProcess {
        // Only this type reaps children, so the pid cannot belong to another process yet.
        let number = clinux_pidfd_open(pid)
        guard number >= 0 else {
            _ = Glibc.kill(pid, SIGKILL)
            _ = waitpid(pid, nil, 0)
            throw ProcessFailure(step: .watch, errno: -number)
        }
        return ChildProcess(pid: pid, pidfd: Descriptor(owning: number))
    }

    /// Kills the process (`SIGKILL`). Does nothing if it has already ended.
    package func kill() { send(SIGKILL) }

    /// Sends `signal`. Does nothing if the process has already ended.
    package func send(_ signal: Int32) {
        _ = pidfd.withNumber { clinux_pidfd_send_signal($0, signal) }
    }

    /// Waits until the process has ended and reaps it. Blocks; repeated calls return the same status.
    ///
    /// - Throws: ``ProcessFailure`` if other code reaped the process.
    package func waitForExit() throws(ProcessFailure) -> ExitStatus {
        if let known = status.withLock({ $0 }) { return known }
        let waited = pidfd.withNumber { clinux_await_exit($0) }
        return try status.withLock { (status) throws(ProcessFailure) in
            if let known = status { return known }
            guard waited == 0 else { throw ProcessFailure(step: .wait, errno: -waited) }
            var number: Int32 = 0
            let reaped = pidfd.withNumber { unsafe clinux_reap($0, &number) }
            guard reaped == 0 else { throw ProcessFailure(step: .wait, errno: -reaped) }
            let ended = ExitStatus(waitStatus: number)
            status = ended
            return ended
        }
    }
}

/// Passes `strings` to `body` as a null-terminated list of C strings.
func withCStrings<R>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> R
) -> R {
    var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body(UnsafePointer($0.baseAddress)) }
}
