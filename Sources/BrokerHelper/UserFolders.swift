// SPDX-License-Identifier: Apache-2.0
internal import Files

/// Finds the files that a user has left behind in home and temporary folders.
struct UserFolders {
    /// The files that were found, as absolute paths. The list is incomplete if a limit was reached or a folder could
    /// not be read.
    struct Findings: Equatable {
        var files: [String] = []
        var isComplete = true
    }

    /// The maximum number of files in one report, and of bytes of their paths.
    private static let maximumFiles = 512
    private static let maximumBytes = 128 << 10

    let user: UInt32
    /// Seconds since 1970. Files that have not changed since then are not listed.
    let since: Int
    var limits = FolderWalk.Limits(entries: 200_000)

    init(user: UInt32, since: Int) { (self.user, self.since) = (user, since) }

    /// Searches these folders. A missing folder counts as empty.
    func look(into folders: [String]) -> Findings {
        var findings = Findings()
        var bytes = 0
        var walk = FolderWalk(limits: limits)
        for folder in folders {
            walk.walk(folder) { entry in
                guard entry.owner == user, entry.changed.seconds >= since else { return .into }
                bytes += entry.path.utf8.count
                guard findings.files.count < Self.maximumFiles, bytes <= Self.maximumBytes else {
                    findings.isComplete = false
                    return .stop
                }
                findings.files.append(entry.path)
                return .into
            } unread: { _, _ in
                findings.isComplete = false
            }
        }
        return findings
    }
}
