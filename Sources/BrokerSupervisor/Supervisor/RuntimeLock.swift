// SPDX-License-Identifier: Apache-2.0
internal import Files

/// Locks the folder of the broker's sockets, since two brokers that create sockets in one folder would replace each
/// other's sockets.
///
/// If the service manager created every socket, the folder belongs to the service manager and no lock is taken.
enum RuntimeLock {
    private static let fileName = "lock"

    /// Locks `folder` as long as the returned lock exists; returns nil if no socket is created there.
    ///
    /// - Throws: ``RuntimeDirectoryInUse`` if another broker holds the lock, ``FileError``.
    static func take(_ folder: String, _ inheritedState: InheritedState) throws -> FileLock? {
        guard !InheritedState.SocketName.allCases.allSatisfy(inheritedState.hands) else { return nil }
        guard let lock = try FileLock(folder + "/" + fileName, isPatient: false) else {
            throw RuntimeDirectoryInUse(path: folder)
        }
        return lock
    }
}

/// The error if another broker has its sockets in this broker's runtime directory.
package struct RuntimeDirectoryInUse: Error, Equatable, CustomStringConvertible {
    package let path: String

    package init(path: String) { self.path = path }

    package var description: String {
        "runtime_directory_in_use: another batond has its sockets in \(path). Give each a runtimeDirectory of its own."
    }
}
