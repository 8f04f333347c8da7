// SPDX-License-Identifier: Apache-2.0
internal import Authenticator
internal import CLinux
internal import Glibc

/// Takes a chip without a resource manager for one conversation, from this process's others and from other processes: it has
/// three places for keys, and each would use the other's.
final class ChipLock {
    private let file: Int32

    /// `F_OFD_SETLKW` (fcntl(2)): of the open file, so that it ends with this object or this process, however that ends.
    private static let wait: Int32 = 38

    /// Waits for its turn.
    ///
    /// - Throws: `unavailable` where the file cannot be made.
    init(_ path: String) throws(TrustedPlatformFailure) {
        file = unsafe clinux_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unavailable(cause: "\(path) cannot be opened") }
        var all = Glibc.flock()
        (all.l_type, all.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
        while unsafe fcntl(file, Self.wait, &all) != 0 {
            guard errno == EINTR else {
                _ = close(file)
                throw .unavailable(cause: "\(path) cannot be locked")
            }
        }
    }

    deinit { _ = close(file) }
}
