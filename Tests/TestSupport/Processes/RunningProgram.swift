// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Processes
internal import UnixSocket

/// A real program that a test started. Its output goes to a log file.
///
/// It is killed and reaped when the test ends, and also ends if the tests' own process dies.
package final class RunningProgram: Sendable {
    /// The file with its standard output and standard error.
    package let logPath: String
    private let process: ChildProcess

    /// The maximum number of seconds until a program is ready. It is high, so that no test fails because the machine is
    /// busy.
    private static let patience: Int32 = 180

    private init(_ process: ChildProcess, logPath: String) {
        self.process = process
        self.logPath = logPath
    }

    package var pid: Int32 { process.pid }

    /// The folder of this package's programs, as the running tests were built.
    package static func folder() throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: tests).deletingLastPathComponent().path
    }

    /// The path of a program of this package, as the running tests were built.
    package static func built(_ name: String) throws -> String {
        let path = try folder() + "/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else { throw TestProblem("\(path) is not built") }
        return path
    }

    /// The folder of the libraries that programs of this package load, if it is outside of `/usr`.
    package static func libraries() throws -> [String] {
        try [OwnProgram.folder(ofLibrary: "libswiftCore.so")].compactMap(\.self).filter { !$0.hasPrefix("/usr/lib") }
    }

    /// Starts `executable` (a path). With `awaitsReady`, returns when the program has sent `READY=1`.
    ///
    /// - Parameters:
    ///   - environment: Added to the tests' own environment.
    ///   - manager: The service manager that starts the program; keeps descriptors for it from one start to the next.
    ///   - log: The log file's name in `scratch`. A restarted program appends to it.
    ///   - input: The program's standard input; it is not written to a file.
    /// - Throws: ``TestProblem`` with the end of its log if it ends before it is ready.
    package static func start(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:], log: String,
        input: [UInt8]? = nil, awaitsReady: Bool = true, manager: ServiceManager? = nil, in scratch: Scratch
    ) async throws -> RunningProgram {
        let (program, isReady) = try await launch(
            executable, arguments, environment: environment, log: log, input: input, awaitsReady: awaitsReady,
            manager: manager, in: scratch)
        guard isReady else {
            throw TestProblem("\(executable) ended before it was ready:\n\(try program.log().suffix(2000))")
        }
        return program
    }

    /// Starts `executable` like ``start(_:_:environment:log:input:awaitsReady:manager:in:)``, but does not throw if it
    /// ends before it is ready.
    ///
    /// - Returns: the program, and whether it is ready; false if it has ended before. Always true without
    ///   `awaitsReady`.
    package static func launch(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:], log: String,
        input: [UInt8]? = nil, awaitsReady: Bool = true, manager: ServiceManager? = nil, in scratch: Scratch
    ) async throws -> (program: RunningProgram, isReady: Bool) {
        let manager = try manager ?? ServiceManager(in: scratch)
        var variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let handed = manager.handedOver
        variables.merge(handed.environment) { $1 }
        variables["NOTIFY_SOCKET"] = awaitsReady ? manager.socketPath : nil
        let program = try spawn(executable, arguments, variables, handed, input, logPath: scratch.path(log))
        scratch.atEnd {
            program.kill()
            _ = try? await program.waitForExit()
        }
        guard awaitsReady else { return (program, true) }
        let isReady = try await blocking {
            try manager.awaitReady(or: program.process.pidfd, seconds: patience)
        }
        return (program, isReady)
    }

    private static func spawn(
        _ executable: String, _ arguments: [String], _ environment: [String: String],
        _ handed: ServiceManager.HandedOver, _ input: [UInt8]?, logPath: String
    ) throws -> RunningProgram {
        let number = unsafe clinux_open(logPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard number >= 0 else { throw TestProblem("\(logPath): error \(-number)") }
        let log = Descriptor(owning: number)
        var descriptors = [(log, as: STDOUT_FILENO), (log, as: STDERR_FILENO)] + handed.descriptors
        if let input { descriptors.append((try memoryFile(input), as: STDIN_FILENO)) }
        let process = try ChildProcess.spawnBound(
            through: handed.wrapper, executable: executable, arguments: arguments, environment: environment,
            descriptors: descriptors)
        return RunningProgram(process, logPath: logPath)
    }

    private static func memoryFile(_ content: [UInt8]) throws -> Descriptor {
        let number = unsafe clinux_memory_file("test-input")
        guard number >= 0 else { throw TestProblem("memory file: error \(-number)") }
        let file = Descriptor(owning: number)
        // pwrite keeps the offset, so that the program reads from the beginning.
        guard unsafe pwrite(number, content, content.count, 0) == content.count else {
            throw TestProblem("memory file: error \(errno)")
        }
        return file
    }

    /// The program's output so far.
    package func log() throws -> String { try textOfFile(logPath) }

    /// Sends a signal. Does nothing if the program has already ended.
    package func send(_ signal: Int32) { process.send(signal) }

    /// Ends the program as a crash would (`SIGKILL`).
    package func kill() { process.kill() }

    /// Asks the program to stop (`SIGTERM`) and waits until it has.
    ///
    /// - Returns: see ``waitForExit()``.
    @discardableResult
    package func stop() async throws -> Int32 {
        send(SIGTERM)
        return try await waitForExit()
    }

    /// Waits until the program has ended and reaps it. If the test's time is over, kills it: a program that does not end
    /// must not keep all tests from ending.
    ///
    /// - Returns: Its exit code, or the negative number of the signal that ended it.
    @discardableResult
    package func waitForExit() async throws -> Int32 {
        let end = try await withTaskCancellationHandler {
            try await blocking { [process] in try process.waitForExit() }
        } onCancel: {
            kill()
        }
        return switch end {
        case .exited(let code): code
        case .signalled(let signal): -signal
        }
    }
}

/// Returns the whole text of a file, read until the kernel reports the end.
///
/// Foundation stops at the first short read, and a read of a file below `/proc` returns at most one page.
package func textOfFile(_ path: String) throws -> String {
    let file = unsafe clinux_open(path, O_RDONLY | O_CLOEXEC, 0)
    guard file >= 0 else { throw TestProblem("\(path): error \(-file)") }
    defer { _ = close(file) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = unsafe read(file, &chunk, chunk.count)
        if count == 0 { return String(decoding: content, as: UTF8.self) }
        guard count > 0 else { throw TestProblem("\(path): error \(errno)") }
        content.append(contentsOf: chunk[..<count])
    }
}
