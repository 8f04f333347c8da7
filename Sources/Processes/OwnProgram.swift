// SPDX-License-Identifier: Apache-2.0
internal import CLinux
package import Files
internal import Glibc
package import UnixSocket

/// The file of the program that this process runs.
package enum OwnProgram {
    /// The folder from which this process has loaded a library; nil if it has not loaded the library.
    ///
    /// - Parameter name: the name of the library's file.
    /// - Throws: ``FileError``
    package static func folder(ofLibrary name: String) throws(FileError) -> String? {
        let maps = try AtomicFile(path: "/proc/self/maps").read() ?? []
        return String(decoding: maps, as: UTF8.self).split(separator: "\n")
            .compactMap { line in line.firstIndex(of: "/").map { line[$0...] } }
            .first { $0.hasSuffix("/" + name) }.map { String($0.dropLast(name.utf8.count + 1)) }
    }

    /// The folder that the file is or was in.
    package static var containingFolder: String { parts.folder }

    /// The file's name without its folder.
    package static var name: String { parts.name }

    /// The path of the file, in two parts. Without `/proc`, it is the path with which the program was started.
    private static var parts: (folder: String, name: String) {
        let path = file?.path ?? CommandLine.arguments.first ?? ""
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    /// Whether another file has taken the place of this process's program, as an upgrade does.
    ///
    /// False if the program was only removed: then there is nothing that could be started instead.
    package static var isReplaced: Bool {
        guard let file, file.isDeleted else { return false }
        return unsafe access(file.path, X_OK) == 0
    }

    /// The path that the file has or had, and whether the file no longer has this path.
    private static var file: (path: String, isDeleted: Bool)? {
        // The kernel adds this to the path of a file that no longer has a name (proc(5)).
        let mark = " (deleted)"
        guard let target = (try? SymbolicLink.target(of: "/proc/self/exe")) ?? nil else { return nil }
        let path = String(decoding: target, as: UTF8.self)
        return path.hasSuffix(mark) ? (String(path.dropLast(mark.count)), true) : (path, false)
    }

    /// Starts this program anew in this process, with the same arguments and environment (execve(2)). All of the
    /// process's memory is discarded, and its parent notices nothing.
    ///
    /// Every thread ends, whatever it is doing. Call this only when no work is half done and every child has ended.
    ///
    /// - Parameter files: open files for the next start, which takes them as its ``Heritage``.
    /// - Returns: why it failed. The process must then end, because its signals and files have changed.
    package static func startAnew<Name: RawRepresentable<String> & Hashable & Sendable>(
        passing files: [Name: Descriptor]
    ) -> ProcessFailure {
        guard let path = file?.path else { return ProcessFailure(step: .renew, errno: ENOENT) }
        Heritage.announce(files)
        let numbers = files.values.map { $0.withNumber { $0 } }
        let outcome = unsafe withCStrings(CommandLine.arguments) { arguments in
            unsafe clinux_become(path, arguments, numbers, Int32(numbers.count))
        }
        return withExtendedLifetime(files) { ProcessFailure(step: .renew, errno: -outcome) }
    }

    /// Replaces this process's program with another one, which inherits this process's environment but none of its
    /// memory.
    ///
    /// - Parameter path: the program's path; `PATH` is not searched.
    /// - Returns: why it failed.
    package static func become(_ path: String, arguments: [String]) -> ProcessFailure {
        unblockSignals()
        let outcome = unsafe withCStrings([path] + arguments) { unsafe clinux_become(path, $0, [], 0) }
        return ProcessFailure(step: .renew, errno: -outcome)
    }

    /// Unblocks all signals in this thread. A new program inherits the blocked signals of the thread, and the threads
    /// of the pool block signals.
    package static func unblockSignals() {
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    }
}
