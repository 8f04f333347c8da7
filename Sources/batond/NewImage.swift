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
    /// - Throws: ``ConfigurationError`` if the kernel refuses; nothing has ended then.
    static func begin() throws -> Never {
        // The service manager was already told that this process serves.
        let words = CommandLine.arguments.filter { $0 != flag } + [flag]
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        // Started by its own path, the program keeps its name in the process list. If its file was replaced, this image
        // runs again.
        if let path = unsafe realpath(ownExecutable, nil) {
            _ = unsafe execv(path, arguments)
        }
        _ = unsafe execv(ownExecutable, arguments)
        throw ConfigurationError(
            file: "", cause: "the broker cannot begin anew (error \(errno))", remedy: "Start batond again.")
    }
}
