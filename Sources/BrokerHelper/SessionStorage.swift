// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import CLinux
internal import Files
internal import Glibc
internal import Processes

/// The memory-backed storage of sessions: one mounted file system (tmpfs(5)) for each epoch, below one folder that root
/// owns.
///
/// The kernel's table of mounts is the only record of this storage.
struct SessionStorage {
    let folder: Directory
    let megabytes: UInt32

    /// The maximum number of sessions with storage at once: the current session, and former sessions whose storage
    /// could not be removed yet.
    static let maximum = 4

    /// Creates the folder of the mounts, which everybody may enter and only root may change.
    ///
    /// - Throws: ``HelperRefusal`` if another user owns the folder or may change it, or if the folder's path contains a
    ///   symbolic link.
    func prepare() throws(HelperRefusal) {
        do throws(FileError) {
            try folder.make(mode: 0o755)
            guard try folder.realPath() == folder.path else {
                throw FileError(.makeDirectory, errno: ELOOP, path: folder.path)
            }
        } catch { throw unavailable("\(error)") }
        var status = stat()
        guard unsafe lstat(folder.path, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw unavailable("The folder \(folder.path) can be changed by others")
        }
    }

    /// The epochs that have storage.
    func epochs() throws(HelperRefusal) -> [Epoch.ID] { try mounted().map(\.epoch) }

    /// Mounts the storage of an epoch, unless it is mounted for this user already.
    ///
    /// - Returns: the storage's folder, and whether the kernel keeps the storage out of swap.
    /// - Throws: ``HelperRefusal``.
    func make(_ epoch: Epoch.ID, for user: SystemUser) throws(HelperRefusal) -> (path: String, isSwapFree: Bool) {
        let path = place(epoch)
        let present = try mounted()
        if let mount = present.first(where: { $0.epoch == epoch }) {
            guard owner(of: path) == user.number else {
                throw HelperRefusal(
                    .storageUnavailable, "The storage of this epoch belongs to another user. Remove it first.")
            }
            return (path, mount.isSwapFree)
        }
        guard present.count < Self.maximum else {
            throw HelperRefusal(
                .tooManySessions, "\(present.count) former sessions still have storage. Remove that storage first.")
        }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw unavailable("mkdir: \(reason(errno))") }
        var isSwapFree: Int32 = 0
        let outcome = unsafe clinux_mount_memory(path, user.number, user.group, megabytes, &isSwapFree)
        guard outcome == 0 else {
            _ = unsafe rmdir(path)
            throw unavailable("mount: \(reason(-outcome))")
        }
        return (path, isSwapFree == 1)
    }

    /// Unmounts the storage of an epoch and removes the storage's folder. Unmounting destroys the content.
    ///
    /// - Throws: ``HelperRefusal``, with `storage_busy` while a process uses the storage.
    func remove(_ epoch: Epoch.ID) throws(HelperRefusal) {
        let path = place(epoch)
        // The epoch's user cannot mount anything here, but root may have mounted further file systems on top.
        for _ in try mounted() where try mounted().contains(where: { $0.epoch == epoch }) {
            let outcome = unsafe clinux_unmount(path)
            guard outcome == 0 else {
                guard outcome == -EBUSY else { throw unavailable("umount: \(reason(-outcome))") }
                throw HelperRefusal(
                    .storageBusy, "A process uses the session's storage. Kill the session's processes first.")
            }
        }
        guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw unavailable("rmdir: \(reason(errno))") }
    }

    private func mounted() throws(HelperRefusal) -> [(epoch: Epoch.ID, isSwapFree: Bool)] {
        let table: MountTable
        do throws(FileError) { table = try MountTable.read() } catch { throw unavailable("\(error)") }
        let prefix = folder.path + "/"
        return table.mounts.compactMap { mount in
            guard mount.type == "tmpfs", mount.path.hasPrefix(prefix),
                let epoch = Epoch.ID(String(mount.path.dropFirst(prefix.count)))
            else { return nil }
            return (epoch, mount.options.contains("noswap"))
        }
    }

    private func place(_ epoch: Epoch.ID) -> String { folder.path + "/\(epoch)" }

    private func owner(of path: String) -> UInt32? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_uid : nil
    }

    private func unavailable(_ cause: String) -> HelperRefusal {
        HelperRefusal(.storageUnavailable, "\(cause). See --storage of baton-helper.")
    }
}

/// The kernel's text for an error number.
func reason(_ number: Int32) -> String {
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
}
