// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import UnixSocket

/// Two brokers that make their sockets in one folder would take each other's: each of them takes the folder first.
///
/// Where the service manager has made every socket it is that manager's folder, and nothing is taken.
enum RuntimeLock {
    /// The file that is held; the broker's user's alone, since whoever can open it can hold it.
    private static let fileName = "lock"

    /// Takes `folder` for as long as the descriptor lives; nil where no socket is made there.
    ///
    /// - Throws: ``RuntimeDirectoryInUse`` where another broker has it, ``FileError``.
    static func take(_ folder: String, _ inheritance: Inheritance) throws -> Descriptor? {
        guard !Inheritance.SocketName.allCases.allSatisfy(inheritance.hands) else { return nil }
        let path = folder + "/" + fileName
        let number = unsafe clinux_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw FileError(.open, errno: -number, path: path) }
        let file = Descriptor(owning: number)
        let outcome = file.withNumber { clinux_lock($0) }
        if outcome == -EWOULDBLOCK { throw RuntimeDirectoryInUse(path: folder) }
        guard outcome == 0 else { throw FileError(.lock, errno: -outcome, path: path) }
        return file
    }
}

/// Another broker has its sockets in this one's folder of sockets.
package struct RuntimeDirectoryInUse: Error, Equatable, CustomStringConvertible {
    package let path: String

    package init(path: String) { self.path = path }

    package var description: String {
        "runtime_directory_in_use: another batond has its sockets in \(path). Give each a runtimeDirectory of its own."
    }
}
