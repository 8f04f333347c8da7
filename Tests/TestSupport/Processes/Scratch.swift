// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import Processes
internal import Synchronization

/// A folder for one test, with a short path (a socket's path has at most 107 bytes). It is removed when the test ends.
package final class Scratch: Sendable {
    package let path: String
    private let cleanups = Mutex<[@Sendable () async -> Void]>([])

    private init() throws {
        var template = Array("/tmp/baton-test-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw TestProblem("mkdtemp: error \(errno)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Passes a new folder to `body`. Afterwards, even if `body` throws, the clean-ups registered with ``atEnd(_:)``
    /// run in reverse order, and the folder is removed.
    package static func with<Value>(_ body: (Scratch) async throws -> Value) async throws -> Value {
        let scratch = try Scratch()
        do {
            let value = try await body(scratch)
            await scratch.cleanUp()
            return value
        } catch {
            await scratch.cleanUp()
            throw error
        }
    }

    /// Registers a clean-up for the end. The clean-up that was registered last runs first.
    package func atEnd(_ cleanup: @escaping @Sendable () async -> Void) {
        cleanups.withLock { $0.append(cleanup) }
    }

    /// The path of `name` in the folder.
    package func path(_ name: String) -> String { path + "/" + name }

    /// Writes a file into the folder, readable by this user only, and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        let file = unsafe clinux_open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { throw TestProblem("\(name): error \(-file)") }
        defer { close(file) }
        guard unsafe Glibc.write(file, text, text.utf8.count) == text.utf8.count else {
            throw TestProblem("\(name): error \(errno)")
        }
        return path(name)
    }

    /// Writes a program that everybody may start into the folder and returns its path.
    @discardableResult
    package func writeProgram(_ text: String, to name: String) throws -> String {
        try install(write(text, to: name + ".text"), as: name)
    }

    /// Copies a file into the folder as a program that everybody may start, and returns the copy's path.
    ///
    /// A separate process writes the copy. If this process did, a program that another thread starts at the same moment
    /// could inherit the open file. The kernel refuses to execute a file that a process has open for writing
    /// (`ETXTBSY`).
    @discardableResult
    package func install(_ file: String, as name: String) throws -> String {
        let copying = try ChildProcess.spawn(
            executable: "/usr/bin/install", arguments: ["-m", "755", file, path(name)], environment: [:])
        guard try copying.waitForExit().isSuccess else { throw TestProblem("\(file) cannot be copied") }
        return path(name)
    }

    private func cleanUp() async {
        while let next = cleanups.withLock({ $0.popLast() }) { await next() }
        _ = unsafe clinux_remove_tree(path)
    }
}
