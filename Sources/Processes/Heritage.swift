// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
package import UnixSocket

/// The open files, by name, that a program has inherited from its former start in the same process
/// (``OwnProgram/startAnew(passing:)``).
package struct Heritage<Name: RawRepresentable<String> & Hashable & Sendable>: Sendable {
    private let files: [Name: Descriptor]

    /// Takes the files over, and reaps the children of the former start as they end. Call it once, before the process
    /// starts a child. No child inherits the files.
    ///
    /// - Returns: nil if this process has not started anew.
    package static func take() -> Heritage? {
        guard let value = unsafe getenv(heritageVariable).map({ unsafe String(cString: $0) }) else { return nil }
        unsafe unsetenv(heritageVariable)
        let words = value.split(separator: " ")
        // Any program that starts this one may set the variable. If the process has started anew, the variable names
        // its own id.
        guard words.first.flatMap({ Int32($0) }) == getpid() else { return nil }
        reapChildren()
        var files: [Name: Descriptor] = [:]
        for word in words.dropFirst() {
            let parts = word.split(separator: "=")
            guard parts.count == 2, let name = Name(rawValue: String(parts[0])), let number = Int32(parts[1]),
                number > STDERR_FILENO, fcntl(number, F_SETFD, FD_CLOEXEC) == 0
            else { continue }
            files[name] = Descriptor(owning: number)
        }
        return Heritage(files: files)
    }

    private static func reapChildren() {
        while waitpid(-1, nil, WNOHANG) > 0 {}
        guard clinux_has_children() == 1, let table = try? ProcessTable.read() else { return }
        let me = getpid()
        for child in table.entries where child.parent == me {
            // If no thread can be started, the child is reaped at the next start, once it has ended.
            try? BlockingThread.start { _ = waitpid(child.pid, nil, 0) }
        }
    }

    package subscript(name: Name) -> Descriptor? { files[name] }

    /// Returns what a memory file contains; nil if there is no such file, or if it has more than `limit` bytes.
    package func content(of name: Name, limit: Int) -> [UInt8]? {
        memoryFile(name).flatMap { try? $0.content(limit: limit) }
    }

    /// Returns a memory file; nil if there is none.
    package func memoryFile(_ name: Name) -> MemoryFile? { files[name].map(MemoryFile.init) }

    /// Names these files for the next start.
    static func announce(_ files: [Name: Descriptor]) {
        let words = ["\(getpid())"] + files.map { name, file in "\(name.rawValue)=\(file.withNumber { $0 })" }
        unsafe setenv(heritageVariable, words.joined(separator: " "), 1)
    }
}

/// The environment variable with the process id and a word `name=number` for each file.
private let heritageVariable = "BATON_HERITAGE"
