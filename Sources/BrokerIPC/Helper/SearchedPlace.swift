// SPDX-License-Identifier: Apache-2.0

/// A place in which a report of `baton-helper` looks for files of a session's user. A place that cannot be read
/// completely counts as unread.
package enum SearchedPlace: String, Sendable, Codable, CaseIterable {
    /// The user's home.
    case home
    /// The user's folder in ``runtimeFolders``.
    case runtimeFiles = "runtime_files"
    case temporaryFiles = "temporary_files"
    case sharedMemory = "shared_memory"
    /// Every other folder of the machine in which the user may create files.
    case otherFolders = "other_folders"

    package static let runtimeFolders = "/run/user"

    /// The folders of the place that are the same for every user.
    package var commonFolders: [String] {
        switch self {
        case .home, .runtimeFiles, .otherFolders: []
        case .temporaryFiles: ["/tmp", "/var/tmp"]
        case .sharedMemory: ["/dev/shm", "/dev/mqueue"]
        }
    }
}
