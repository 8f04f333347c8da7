// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Glibc
internal import Processes

extension DeviceReader {
    /// The maximum number of files that one audit visits, and the maximum depth.
    private static let limits = FolderWalk.Limits(entries: 20_000_000, depth: 256)

    /// Reads the files of every mounted file system.
    mutating func readFiles(_ table: MountTable) {
        let mounts = table.visible
        var walk = FolderWalk(limits: Self.limits, mountPoints: Set(mounts.map(\.path)))
        for mount in mounts where mount.backing != .kernel && !isSkipped(mount.path) {
            guard mount.backing == .machine else {
                note(UnreadPlace(mount.path, cause: "a file system of type \(mount.type) is not read"))
                continue
            }
            readFiles(below: mount.path, &walk)
        }
    }

    private mutating func readFiles(below folder: String, _ walk: inout FolderWalk) {
        var found: [FolderWalk.Entry] = []
        var unreadable: [(String, Int32)] = []
        var owners: [String: UInt32] = [:]
        let isSessionUser = isUser(geteuid())
        // Below a home, files of every owner count, because programs of other users write there only for the home's
        // user.
        let named = scope.namedFolders + scope.users.map(\.home).filter { $0 != "/" }
        walk.walk(folder) { entry in
            if isSkipped(entry.path) { return .past }
            if isUser(entry.owner) || named.contains(where: { scope.isBelow($0, entry.path) }) {
                guard found.count < Self.maximumItems else {
                    unreadable.append((folder, EFBIG))
                    return .stop
                }
                found.append(entry)
            } else if entry.isFolder, isSessionUser, !named.contains(entry.path) {
                owners[entry.path] = entry.owner
            }
            return .into
        } unread: { path, reason in
            // If this session user may not enter another user's folder, that folder cannot contain a file of this
            // session user.
            let isClosed = reason == EACCES && owners[path] != nil
            if !isClosed { unreadable.append((path, reason)) }
        }
        for entry in found { add(Self.item(entry)) }
        for (path, reason) in unreadable { note(path, reason) }
    }

    /// Returns the item for a file or folder. A folder counts as unchanged unless it was replaced, even if files were
    /// created or removed in it.
    private static func item(_ entry: FolderWalk.Entry) -> AuditItem {
        let changed = "\(entry.changed.seconds).\(entry.changed.nanoseconds)"
        return AuditItem(
            .file, entry.path, version: entry.isFolder ? "\(entry.inode)" : "\(entry.inode) \(entry.size) \(changed)")
    }
}
