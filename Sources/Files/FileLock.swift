// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import UnixSocket

/// A file that one holder has at a time, for as long as this lives or its process does, however that ends.
package final class FileLock: Sendable {
    private let file: Descriptor

    // Locks of the open file, not of the process (`F_OFD_SETLK`, `F_OFD_SETLKW`: fcntl(2)).
    private static let attempt: Int32 = 37
    private static let wait: Int32 = 38

    /// Takes the file at `path`, which is made where there is none; the file's owner alone can open it, and so hold it.
    ///
    /// - Parameter isPatient: whether it waits for whoever has it.
    /// - Returns: nil where somebody else has it and nobody waits.
    /// - Throws: ``FileError``.
    package init?(_ path: String, isPatient: Bool) throws(FileError) {
        let number = unsafe clinux_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw FileError(.open, errno: -number, path: path) }
        file = Descriptor(owning: number)
        while true {
            let error = Self.set(F_WRLCK, of: file, by: isPatient ? Self.wait : Self.attempt)
            if error == 0 { return }
            if error == EAGAIN || error == EACCES { return nil }
            guard error == EINTR else { throw FileError(.lock, errno: error, path: path) }
        }
    }

    // A program that is being started shares the open file until it is that program; it must not hold the lock so long.
    deinit { _ = Self.set(F_UNLCK, of: file, by: Self.attempt) }

    private static func set(_ kind: Int32, of file: Descriptor, by command: Int32) -> Int32 {
        var all = Glibc.flock()
        (all.l_type, all.l_whence) = (Int16(kind), Int16(SEEK_SET))
        return file.withNumber { number in unsafe fcntl(number, command, &all) == 0 ? 0 : errno }
    }
}
