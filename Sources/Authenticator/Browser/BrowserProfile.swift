// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// The folders that an epoch's browser may write to; they go with the epoch.
///
/// Beside the browser's own profile these are a home and a folder for temporary files, so that downloads, caches and
/// sockets of the browser are in no place that a later worker reads.
struct BrowserProfile: Sendable {
    /// `<profiles>/<epoch>`: it stands for the whole, and it is removed last.
    let folder: Directory
    /// Apart from the profile because a socket's path may have 107 bytes only, and Chromium puts one here.
    let temporary: Directory

    init(profiles: String, epoch: String) {
        folder = Directory(path: profiles + "/" + epoch)
        temporary = Directory(path: "/tmp/baton-" + epoch)
    }

    /// What `{profile}` in the browser's command line stands for.
    var browser: Directory { folder.appending("browser") }
    var home: Directory { folder.appending("home") }

    /// The variable that marks every process of this profile's browser.
    var mark: String { Self.mark(profiles: folder.path) }

    /// What the mark of every browser with a profile in `profiles` begins with.
    static func mark(profiles: String) -> String { "\(markName)=\(profiles)" }
    static let markName = "BATON_BROWSER_PROFILE"

    /// Makes the folders for this user alone, where they are not there yet.
    ///
    /// - Throws: ``FileError``, also when somebody else made the temporary folder first.
    func make() throws(FileError) {
        for directory in [folder, browser, home, temporary] {
            guard unsafe mkdir(directory.path, 0o700) == 0 || errno == EEXIST else {
                throw FileError(.makeDirectory, errno: errno, path: directory.path)
            }
            var status = stat()
            guard unsafe lstat(directory.path, &status) == 0 else {
                throw FileError(.makeDirectory, errno: errno, path: directory.path)
            }
            guard status.st_mode & (S_IFMT | 0o077) == S_IFDIR, status.st_uid == getuid() else {
                throw FileError(.makeDirectory, errno: EPERM, path: directory.path)
            }
        }
    }

    /// Removes the folders durably and reads back that they are absent.
    ///
    /// - Throws: ``FileError`` when something is left, or when that cannot be told.
    func remove() throws(FileError) {
        for directory in [temporary, folder] {
            let outcome = unsafe clinux_remove_tree(directory.path)
            guard outcome == 0 else { throw FileError(.remove, errno: -outcome, path: directory.path) }
            var status = stat()
            let found = unsafe lstat(directory.path, &status) == 0
            guard !found, errno == ENOENT else {
                throw FileError(.remove, errno: found ? EEXIST : errno, path: directory.path)
            }
        }
        let slash = folder.path.lastIndex(of: "/") ?? folder.path.startIndex
        try Directory(path: String(folder.path[..<slash])).sync()
    }
}
