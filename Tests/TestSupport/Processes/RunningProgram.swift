// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import Synchronization
internal import UnixSocket

/// A real program that a test started, with its output in a log file; it is killed and reaped when the test ends.
package final class RunningProgram: Sendable {
    package let pid: Int32
    /// The file with what it wrote to standard output and standard error.
    package let logPath: String
    private let pidfd: Descriptor
    private let status = Mutex<Int32?>(nil)

    private init(pid: Int32, pidfd: Descriptor, logPath: String) {
        self.pid = pid
        self.pidfd = pidfd
        self.logPath = logPath
    }

    /// The path of a program of this package, as the running tests were built.
    package static func built(_ name: String) throws -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw TestProblem("/proc/self/exe: error \(errno)") }
        let tests = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = tests.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/" + name
        guard unsafe access(path, X_OK) == 0 else { throw TestProblem("\(path) is not built") }
        return path
    }

    /// Starts `executable` (a path); with `awaitsReady` it returns when the program said `READY=1`.
    ///
    /// - Parameters:
    ///   - environment: Added to the tests' own environment.
    ///   - log: The log file's name in `scratch`; a program started again adds to it.
    /// - Throws: ``TestProblem`` with the end of its log when it ends or says nothing for 60 s.
    package static func start(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:], log: String,
        awaitsReady: Bool = true, in scratch: Scratch
    ) async throws -> RunningProgram {
        let notify =
            awaitsReady ? try DatagramSocket(path: scratch.path("notify-\(UInt32.random(in: 0...UInt32.max))")) : nil
        var variables = try inheritedEnvironment().merging(environment) { $1 }
        variables["NOTIFY_SOCKET"] = notify?.path
        let program = try spawn(executable, arguments, variables, logPath: scratch.path(log))
        scratch.atEnd {
            program.kill()
            _ = try? await program.waitForExit()
        }
        guard let notify else { return program }
        let ready = try await blocking { try notify.awaitReady(or: program.pidfd, seconds: 60) }
        _ = unsafe unlink(notify.path)
        guard ready else {
            throw TestProblem("\(executable) ended before it was ready:\n\(try program.log().suffix(2000))")
        }
        return program
    }

    private static func spawn(
        _ executable: String, _ arguments: [String], _ environment: [String: String], logPath: String
    ) throws -> RunningProgram {
        let log = unsafe clinux_open(logPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard log >= 0 else { throw TestProblem("\(logPath): error \(-log)") }
        defer { close(log) }
        let pid = unsafe withCStrings([executable] + arguments) { arguments in
            unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                unsafe clinux_spawn(executable, arguments, environment, [log, log], [1, 2], 2, 0)
            }
        }
        guard pid > 0 else { throw TestProblem("\(executable): error \(-pid)") }
        let pidfd = clinux_pidfd_open(pid)
        guard pidfd >= 0 else { throw TestProblem("pidfd: error \(-pidfd)") }
        return RunningProgram(pid: pid, pidfd: Descriptor(owning: pidfd), logPath: logPath)
    }

    /// What the program has written so far.
    package func log() throws -> String { try textOfFile(logPath) }

    /// Sends a signal; a program that has ended already is fine.
    package func send(_ signal: Int32) { _ = pidfd.withNumber { clinux_pidfd_send_signal($0, signal) } }

    /// Ends the program as a crash would (`SIGKILL`).
    package func kill() { send(SIGKILL) }

    /// Asks the program to stop (`SIGTERM`) and waits until it has.
    ///
    /// - Returns: see ``waitForExit()``.
    @discardableResult
    package func stop() async throws -> Int32 {
        send(SIGTERM)
        return try await waitForExit()
    }

    /// Waits until the program has ended and reaps it.
    ///
    /// - Returns: Its exit code, or the negative number of the signal that ended it.
    @discardableResult
    package func waitForExit() async throws -> Int32 {
        try await blocking { [self] in
            _ = pidfd.withNumber { clinux_await_exit($0) }
            return try status.withLock { known in
                if let known { return known }
                var raw: Int32 = 0
                let reaped = pidfd.withNumber { unsafe clinux_reap($0, &raw) }
                guard reaped == 0 else { throw TestProblem("reap: error \(-reaped)") }
                let ended = raw & 0x7f == 0 ? raw >> 8 & 0xff : -(raw & 0x7f)
                known = ended
                return ended
            }
        }
    }
}

/// The whole of a text file.
package func textOfFile(_ path: String) throws -> String {
    let file = unsafe clinux_open(path, O_RDONLY, 0)
    guard file >= 0 else { throw TestProblem("\(path): error \(-file)") }
    defer { close(file) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = unsafe read(file, &chunk, chunk.count)
        guard count >= 0 else { throw TestProblem("\(path): error \(errno)") }
        if count == 0 { return String(decoding: content, as: UTF8.self) }
        content += chunk[..<count]
    }
}

private func inheritedEnvironment() throws -> [String: String] {
    var found: [String: String] = [:]
    for entry in try textOfFile("/proc/self/environ").split(separator: "\0") {
        let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { found[String(parts[0])] = String(parts[1]) }
    }
    return found
}

/// Lends `strings` as a null-terminated list of C strings.
private func withCStrings<R>(_ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> R) -> R {
    var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body(UnsafePointer($0.baseAddress)) }
}
