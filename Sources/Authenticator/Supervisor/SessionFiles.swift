// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import Files
internal import Glibc

extension DeviceFiles {
    /// Moves everything of a session out of the live paths, and reads back that nothing is left there.
    ///
    /// The move is a rename and takes no longer for two gigabytes than for two bytes; ``emptyTrash()`` unlinks later.
    ///
    /// - Throws: ``FileError``, or ``LeftoverFound`` when the live path is not empty afterwards.
    package func clearSession(of ended: Epoch) throws {
        let target = trash.appending("\(ended.counter)-\(ended.id)")
        try trash.make(mode: 0o700)
        if try !session.names().isEmpty {
            try target.removeTree()
            guard unsafe rename(session.path, target.path) == 0 else {
                throw FileError(.rename, errno: errno, path: session.path)
            }
            try root.sync()
            try trash.sync()
        }
        try session.make(mode: 0o700)
        guard try session.names().isEmpty else { throw LeftoverFound() }
    }

    /// Unlinks what ended sessions left in the trash.
    package func emptyTrash() throws {
        for name in try trash.names() { try trash.appending(name).removeTree() }
    }
}

/// A live path still holds something of an ended session.
package struct LeftoverFound: Error, Equatable {}
