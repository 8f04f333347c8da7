// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import Files

/// Takes a chip without a resource manager for one conversation, from this process's others and from other processes: it has
/// three places for keys, and each would use the other's.
struct ChipLock {
    private let file: FileLock

    /// Waits for its turn.
    ///
    /// - Throws: `unavailable` where the file cannot be made.
    init(_ path: String) throws(TrustedPlatformFailure) {
        do throws(FileError) {
            guard let file = try FileLock(path, isPatient: true) else { throw FileError(.lock, errno: 0, path: path) }
            self.file = file
        } catch {
            throw .unavailable(cause: "\(path) cannot be locked")
        }
    }
}
