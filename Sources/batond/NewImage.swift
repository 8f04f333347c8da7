// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The beginning of this very program anew in the same process (execve(2)).
///
/// Connections, threads and memory of the former one end with it, and its process number stays, by which a service manager
/// knows it.
enum NewImage {
    private static let ownExecutable = "/proc/self/exe"
    private static let flag = "--begun-anew"

    /// Begins anew with the arguments of this one.
    ///
    /// - Throws: ``ConfigurationError`` if the kernel refuses; nothing has ended then.
    static func begin() throws -> Never {
        // The service manager was told already that this process serves.
        let words = CommandLine.arguments.filter { $0 != flag } + [flag]
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        // By its own path the process list names it as before; one that was replaced on the disk goes on as it is.
        if let path = unsafe realpath(ownExecutable, nil) {
            _ = unsafe execv(path, arguments)
        }
        _ = unsafe execv(ownExecutable, arguments)
        throw ConfigurationError(
            file: "", cause: "the broker cannot begin anew (error \(errno))", remedy: "Start batond again.")
    }
}
