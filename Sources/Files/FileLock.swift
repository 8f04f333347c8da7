// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import UnixSocket

/// An exclusive lock on a file. It is held until this object is deallocated or the process ends for any reason.
package final class FileLock: Sendable {
    private let file: Descriptor
    private let path: String

    // These locks belong to the open file description, not to the process (`F_OFD_SETLK`, `F_OFD_SETLKW`: fcntl(2)).
    private static let attempt: Int32 = 37
    private static let wait: Int32 = 38

    /// Locks the file at `path`, which is created if missing. Only the file's owner can open and therefore lock it.
    ///
    /// - Parameter isPatient: whether to wait while another holder has the lock.
    /// - Returns: nil if another holder has the lock and `isPatient` is false.
    /// - Throws: ``FileError``.
    package init?(_ path: String, isPatient: Bool) throws(FileError) {
        let number = unsafe clinux_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw FileError(.open, errno: -number, path: path) }
        (file, self.path) = (Descriptor(owning: number), path)
        while true {
            let error = Self.set(F_WRLCK, of: file, by: isPatient ? Self.wait : Self.attempt)
            if error == 0 { return }
            if error == EAGAIN || error == EACCES { return nil }
            guard error == EINTR else { throw FileError(.lock, errno: error, path: path) }
        }
    }

    /// Replaces the content of the locked file, for example with the holder's process.
    ///
    /// - Throws: ``FileError``.
    package func write(_ text: String) throws(FileError) {
        let bytes = Array(text.utf8)
        let error = file.withNumber { number -> Int32 in
            guard ftruncate(number, 0) == 0 else { return errno }
            return unsafe pwrite(number, bytes, bytes.count, 0) == bytes.count ? 0 : errno
        }
        guard error == 0 else { throw FileError(.write, errno: error, path: path) }
    }

    // Unlocks explicitly, because a child process shares the open file description between fork() and exec() and would
    // keep the lock during that time.
    deinit { _ = Self.set(F_UNLCK, of: file, by: Self.attempt) }

    private static func set(_ kind: Int32, of file: Descriptor, by command: Int32) -> Int32 {
        var all = Glibc.flock()
        (all.l_type, all.l_whence) = (Int16(kind), Int16(SEEK_SET))
        return file.withNumber { number in unsafe fcntl(number, command, &all) == 0 ? 0 : errno }
    }
}
