// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Files
internal import Glibc
internal import Processes

/// Finds the files that a user has left behind.
struct UserFolders {
    /// The files that were found, as absolute paths, and, for each place that could not be read completely, the number
    /// of the first error (errno(3)).
    struct Findings: Equatable {
        var files: [String] = []
        var unread: [SearchedPlace: Int32] = [:]
    }

    /// The maximum number of looks at the folders, and the pause in microseconds before each look from the third on.
    private static let (looks, pause): (Int, UInt32) = (8, 20_000)

    /// The maximum number of files in one report, and of bytes of their paths.
    private static let maximumFiles = 512
    private static let maximumBytes = 128 << 10

    let user: UInt32
    /// Further user ids under which the user may own files.
    let subordinates: SubordinateUsers
    /// Seconds since 1970. Files that have not changed since then are not listed.
    let since: Int
    /// The limits of the walk through each place.
    var limits = FolderWalk.Limits(entries: 200_000)
    /// The time after the beginning of the first look in which another look may begin. It is short, because the next
    /// worker waits for the report.
    var patience = Duration.seconds(5)

    private var findings = Findings()
    private var bytes = 0
    private var found: Set<String> = []

    init(user: UInt32, subordinates: SubordinateUsers, since: Int) {
        (self.user, self.subordinates, self.since) = (user, subordinates, since)
    }

    /// One place, the folders below which it is searched, and the walk through them.
    private struct Search {
        let place: SearchedPlace
        let roots: [String]
        var walk: FolderWalk
    }

    /// Searches the folders of each place, and the file systems that are mounted below them. A missing folder counts as
    /// empty.
    ///
    /// A program that runs meanwhile may move a file from a folder that is searched later into one that was searched
    /// already. The folders in which the user may create files are therefore looked at again until none of them has
    /// changed. If that takes too long, the places of these folders count as not read.
    mutating func look(into places: [(SearchedPlace, folders: [String])], _ table: MountTable) -> Findings {
        let mounts = table.visible
        let mountPoints = Set(mounts.map(\.path))
        var known: Set<String> = []
        var searches: [Search] = []
        for (place, folders) in places {
            let all = folders.flatMap { folder in self.roots(of: folder, mounts, place) }
            let roots = all.filter { known.insert($0).inserted }
            let walk = FolderWalk(limits: limits, mountPoints: mountPoints) { [user, subordinates] folder in
                place == .home || folder.isForEveryUser || folder.owner == user || subordinates.contains(folder.owner)
            }
            searches.append(Search(place: place, roots: roots, walk: walk))
        }
        var changed = places.map(\.0)
        let last = ContinuousClock.now + patience
        for look in 1...Self.looks where !changed.isEmpty && (look == 1 || ContinuousClock.now < last) {
            if look > 2 { usleep(Self.pause) }
            for index in searches.indices {
                if look > 1 { searches[index].walk.again() }
                search(&searches[index])
            }
            // When this look began, every place that is not in `seen` was still as it had been read.
            let seen = searches.filter(\.walk.hasChanged).map(\.place)
            if look > 1, seen.count < changed.count { changed = seen }
        }
        for place in changed { note(place, EAGAIN) }
        return findings
    }

    /// Returns the folder and the mount points below it. File systems that may not answer are recorded as unread.
    private mutating func roots(of folder: String, _ mounts: [MountTable.Mount], _ place: SearchedPlace) -> [String] {
        // Of the mounts that contain the folder, the last in the order of their paths is the innermost.
        let outer = mounts.last { $0.contains(folder) }
        var roots: [String] = []
        if outer?.backing == .other { note(place, EXDEV) } else { roots.append(folder) }
        for mount in mounts where mount.path.hasPrefix(folder + "/") {
            switch mount.backing {
            case .kernel: break
            case .machine: roots.append(mount.path)
            case .other: note(place, EXDEV)
            }
        }
        return roots
    }

    private mutating func search(_ search: inout Search) {
        let place = search.place
        for root in search.roots {
            var failure: Int32?
            var files: [String] = []
            search.walk.walk(root) { entry in
                guard isTheirs(entry, in: place), entry.changed.seconds >= since, !found.contains(entry.path) else {
                    return .into
                }
                bytes += entry.path.utf8.count
                guard found.count < Self.maximumFiles, bytes <= Self.maximumBytes else {
                    failure = failure ?? EFBIG
                    return .stop
                }
                found.insert(entry.path)
                files.append(entry.path)
                return .into
            } unread: { _, reason in
                failure = failure ?? reason
            }
            findings.files += files
            if let failure { note(place, failure) }
        }
    }

    /// Below the home, files of every owner count, because programs of other users write there only for this user.
    private func isTheirs(_ entry: FolderWalk.Entry, in place: SearchedPlace) -> Bool {
        place == .home || entry.owner == user || subordinates.contains(entry.owner)
    }

    private mutating func note(_ place: SearchedPlace, _ reason: Int32) {
        if findings.unread[place] == nil { findings.unread[place] = reason }
    }
}
