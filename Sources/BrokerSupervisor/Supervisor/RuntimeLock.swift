// SPDX-License-Identifier: Apache-2.0
internal import Files

/// Two brokers that make their sockets in one folder would take each other's: each of them takes the folder first.
///
/// Where the service manager has made every socket it is that manager's folder, and nothing is taken.
enum RuntimeLock {
    private static let fileName = "lock"

    /// Takes `folder` for as long as the lock lives; nil where no socket is made there.
    ///
    /// - Throws: ``RuntimeDirectoryInUse`` where another broker has it, ``FileError``.
    static func take(_ folder: String, _ inheritedState: InheritedState) throws -> FileLock? {
        guard !InheritedState.SocketName.allCases.allSatisfy(inheritedState.hands) else { return nil }
        guard let lock = try FileLock(folder + "/" + fileName, isPatient: false) else {
            throw RuntimeDirectoryInUse(path: folder)
        }
        return lock
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
