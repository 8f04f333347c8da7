// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Restarts this program in the same process (execve(2)).
///
/// Connections, threads and memory end with the old image. The process id stays the same, so a service manager still
/// recognises the process.
enum NewImage {
    private static let ownExecutable = "/proc/self/exe"
    private static let flag = "--begun-anew"

    /// Restarts with the same arguments.
    ///
    /// - Throws: ``ConfigurationError`` if the kernel refuses. In that case nothing has ended.
    static func begin() throws -> Never {
        // The flag prevents a second notification of readiness to the service manager.
        let words = CommandLine.arguments.filter { $0 != flag } + [flag]
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        // The real path keeps the program's name in the process list. If the program's file was replaced,
        // `/proc/self/exe` starts the old file again.
        if let path = unsafe realpath(ownExecutable, nil) {
            _ = unsafe execv(path, arguments)
        }
        _ = unsafe execv(ownExecutable, arguments)
        throw ConfigurationError(
            file: "", cause: "the broker cannot restart (error \(errno))", remedy: "Start batond again.")
    }
}
