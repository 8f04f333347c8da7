// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Files
internal import Glibc
internal import Processes

/// Finds the files that a user has left behind.
struct UserFolders {
    /// The files that were found, as absolute paths, and why places could not be read completely: the number of the
    /// first error (errno(3)).
    struct Findings: Equatable {
        var files: [String] = []
        var unread: [SearchedPlace: Int32] = [:]
    }

    /// The maximum number of files in one report, and of bytes of their paths.
    private static let maximumFiles = 512
    private static let maximumBytes = 128 << 10

    let user: UInt32
    /// Seconds since 1970. Files that have not changed since then are not listed.
    let since: Int
    /// Of each place.
    var limits = FolderWalk.Limits(entries: 200_000)

    private var findings = Findings()
    private var bytes = 0
    private var searched: Set<String> = []

    init(user: UInt32, since: Int) { (self.user, self.since) = (user, since) }

    /// Searches the folders of each place, and the file systems that are mounted below them. A missing folder counts as
    /// empty.
    mutating func look(into places: [(SearchedPlace, folders: [String])], _ table: MountTable) -> Findings {
        let mounts = table.visible
        let mountPoints = Set(mounts.map(\.path))
        for (place, folders) in places {
            var walk = FolderWalk(limits: limits, mountPoints: mountPoints)
            for folder in folders {
                for root in roots(of: folder, mounts, place) { search(root, of: place, &walk) }
            }
        }
        return findings
    }

    /// Returns the folder and the mount points below it. File systems that may not answer are noted as unread.
    private mutating func roots(of folder: String, _ mounts: [MountTable.Mount], _ place: SearchedPlace) -> [String] {
        // Of the mounts that contain the folder, the last in the order of their paths is the innermost.
        let outer = mounts.last { $0.contains(folder) }
        var roots: [String] = []
        if outer?.keeper == .other { note(place, EXDEV) } else { roots.append(folder) }
        for mount in mounts where mount.path.hasPrefix(folder + "/") {
            switch mount.keeper {
            case .kernel: break
            case .machine: roots.append(mount.path)
            case .other: note(place, EXDEV)
            }
        }
        return roots
    }

    private mutating func search(_ folder: String, of place: SearchedPlace, _ walk: inout FolderWalk) {
        guard searched.insert(folder).inserted else { return }
        var (files, failure): ([String], Int32?) = ([], nil)
        let (known, knownBytes) = (findings.files.count, bytes)
        var added = 0
        walk.walk(folder) { entry in
            guard entry.owner == user, entry.changed.seconds >= since else { return .into }
            added += entry.path.utf8.count
            guard known + files.count < Self.maximumFiles, knownBytes + added <= Self.maximumBytes else {
                failure = failure ?? EFBIG
                return .stop
            }
            files.append(entry.path)
            return .into
        } unread: { _, reason in
            failure = failure ?? reason
        }
        findings.files += files
        bytes += added
        if let failure { note(place, failure) }
    }

    private mutating func note(_ place: SearchedPlace, _ reason: Int32) {
        if findings.unread[place] == nil { findings.unread[place] = reason }
    }
}
