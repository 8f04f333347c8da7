// SPDX-License-Identifier: Apache-2.0
internal import DeviceKeyStore
internal import Files

/// An exclusive lock for one conversation with a TPM that has no resource manager. Other conversations, in this
/// process and in others, wait for it. Such a TPM has only three slots for keys, and its users would interfere with
/// each other's keys.
struct ChipLock {
    private let file: FileLock

    /// Waits for the lock.
    ///
    /// - Throws: `unavailable` if the file cannot be created or locked.
    init(_ path: String) throws(TrustedPlatformFailure) {
        do throws(FileError) {
            guard let file = try FileLock(path, isPatient: true) else { throw FileError(.lock, errno: 0, path: path) }
            self.file = file
        } catch {
            throw .unavailable(cause: "\(path) cannot be locked")
        }
    }
}
