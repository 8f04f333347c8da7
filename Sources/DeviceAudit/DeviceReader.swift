// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Glibc
internal import Processes

/// Reads what the session users have on this machine: files, processes, sockets, shared memory and mounts.
///
/// Whatever cannot be read is recorded as unread; it never counts as absent.
package struct DeviceReader {
    let scope: AuditScope
    var items: Set<AuditItem> = []
    var unread: Set<UnreadPlace> = []
    /// Further user ids under which the session users may own files and run processes.
    private var subordinates = SubordinateUsers()

    /// The maximum number of items and of unread places that an audit keeps. Items beyond that count as unread.
    static let maximumItems = 2_000_000
    static let maximumUnread = 1000

    package init(_ scope: AuditScope) { self.scope = scope }

    /// Reads everything; blocks.
    package mutating func read() -> AuditSnapshot.Content {
        do throws(SubordinateUsersError) {
            subordinates = try SubordinateUsers.read(of: scope.users.map(\.number))
        } catch { note(UnreadPlace("files of subordinate user ids", cause: error.cause)) }
        do throws(FileError) {
            let mounts = try MountTable.read()
            readFiles(mounts)
            readMounts(mounts)
            noteHiddenProcesses(mounts)
        } catch { note("mounts", error.errno) }
        if scope.users.isEmpty {
            note(UnreadPlace("what session users leave", cause: "sessionUsers names nobody"))
        }
        readProcesses()
        readListeners()
        readIPC()
        return AuditSnapshot.Content(
            items: items.sorted { ($0.kind.rawValue, $0.name) < ($1.kind.rawValue, $1.name) },
            unread: unread.sorted { ($0.name, $0.cause) < ($1.name, $1.cause) })
    }

    mutating func add(_ item: AuditItem) {
        guard items.count < Self.maximumItems else { return note("everything else", EFBIG) }
        items.insert(item)
    }

    /// Records that a place could not be read, with the error; `EFBIG` means that a limit of the audit was reached.
    mutating func note(_ name: String, _ errno: Int32) {
        let reason =
            if errno == EFBIG {
                "it has more than an audit reads"
            } else {
                unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
            }
        note(UnreadPlace(name, cause: reason))
    }

    mutating func note(_ place: UnreadPlace) {
        guard unread.count < Self.maximumUnread else { return }
        unread.insert(place)
    }

    func isUser(_ number: UInt32) -> Bool {
        scope.users.contains { $0.number == number } || subordinates.contains(number)
    }

    private mutating func readMounts(_ mounts: MountTable) {
        for mount in mounts.mounts where !isSkipped(mount.path) {
            add(AuditItem(.mount, mount.path, version: "\(mount.type) \(mount.root)"))
        }
    }

    func isSkipped(_ path: String) -> Bool {
        path == scope.snapshot || scope.skipped.contains { $0 == path || scope.isBelow($0, path) }
    }
}
