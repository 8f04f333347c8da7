// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import Synchronization
package import UnixSocket

/// A process that this one started, in a process group of its own, held by a descriptor that names it and no other.
///
/// It has default signals and of our open files only those that were given to it. Somebody must call
/// ``waitForExit()`` sooner or later, or a dead child stays as a zombie.
package final class ChildProcess: Sendable {
    /// The process number: a label for logs, and the number of its process group.
    package let pid: Int32
    /// Readable when the process has ended, for `poll(2)`.
    package let pidfd: Descriptor
    private let status = Mutex<ExitStatus?>(nil)

    private init(pid: Int32, pidfd: Descriptor) {
        self.pid = pid
        self.pidfd = pidfd
    }

    /// What becomes of standard output and standard error where they are not among the given descriptors.
    package enum Output: Sendable {
        /// The caller's own.
        case inherited
        /// `/dev/null`.
        case discarded
    }

    /// Starts `executable` (a path; no search) with exactly this environment.
    ///
    /// - Parameters:
    ///   - name: What the process list calls the program; the path where it is not given.
    ///   - arguments: What follows the program's name.
    ///   - descriptors: At most eight open files and the numbers (0 to 65535) that they get there. Standard input is
    ///     `/dev/null` unless it is among them.
    /// - Throws: ``ProcessFailure``, with `ENOENT` or `EACCES` when there is no such program.
    package static func spawn(
        executable: String, name: String? = nil, arguments: [String], environment: [String: String],
        descriptors: [(Descriptor, as: Int32)] = [], output: Output = .inherited
    ) throws(ProcessFailure) -> ChildProcess {
        let variables = environment.map { "\($0.key)=\($0.value)" }
        // The objects stay alive through `descriptors`.
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

    /// Starts a program that ends with this process, however that ends: the kernel sends it `SIGTERM` then.
    ///
    /// - Parameters:
    ///   - wrapper: A command that starts the program, such as `unshare`, with its own arguments.
    ///   - executable: A path; that it is there has been made sure of.
    /// - Throws: ``ProcessFailure``.
    package static func spawnBound(
        through wrapper: [String] = [], executable: String, arguments: [String], environment: [String: String],
        descriptors: [(Descriptor, as: Int32)] = [], output: Output = .inherited
    ) throws(ProcessFailure) -> ChildProcess {
        // Last, since a change of credentials on the way would make the kernel forget the wish.
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
        // Nobody but this type reaps, so the number cannot have been given to another process yet.
        let number = clinux_pidfd_open(pid)
        guard number >= 0 else {
            _ = Glibc.kill(pid, SIGKILL)
            _ = waitpid(pid, nil, 0)
            throw ProcessFailure(step: .watch, errno: -number)
        }
        return ChildProcess(pid: pid, pidfd: Descriptor(owning: number))
    }

    /// Ends the process at once (`SIGKILL`); a process that has ended already is fine.
    package func kill() { send(SIGKILL) }

    /// Sends `signal`; a process that has ended already is fine.
    package func send(_ signal: Int32) {
        _ = pidfd.withNumber { clinux_pidfd_send_signal($0, signal) }
    }

    /// Waits until the process has ended and reaps it; blocks, and gives the same answer however often it is asked.
    ///
    /// - Throws: ``ProcessFailure`` when somebody else reaped the process.
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

/// Lends `strings` as a null-terminated list of C strings.
private func withCStrings<R>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> R
) -> R {
    var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body(UnsafePointer($0.baseAddress)) }
}
