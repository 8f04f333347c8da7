// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import CLinux
package import Files
internal import Glibc

/// The folders that an epoch's browser may write to. They are removed when the epoch ends.
///
/// Besides the browser's own profile, there are a home folder and a folder for temporary files. Therefore no downloads,
/// caches or sockets of the browser are left where a later worker could read them.
package struct BrowserProfile: Sendable {
    private let profiles: Directory
    /// The profile's own folder, `<profiles>/<epoch>`.
    package let folder: Directory
    package let temporary: TemporaryFolder
    /// Whether the folder is storage that the broker provides. The agent only empties such a folder; the broker removes
    /// it.
    private let isProvided: Bool

    package init(profiles: String, epoch: Epoch.ID) {
        self.profiles = Directory(path: profiles)
        folder = self.profiles.appending(epoch.description)
        temporary = TemporaryFolder(of: epoch, in: self.profiles)
        isProvided = false
    }

    /// The profile of an epoch whose browser is confined.
    ///
    /// - Parameter storage: the folder that the broker provides; an absolute path that ends with the epoch's id.
    /// - Returns: nil if the path has a different form.
    package init?(storage: String, epoch: Epoch.ID) {
        guard storage.hasPrefix("/"), storage.hasSuffix("/\(epoch)") else { return nil }
        profiles = Directory(path: String(storage.dropLast(epoch.description.utf8.count + 1)))
        folder = Directory(path: storage)
        temporary = TemporaryFolder(of: epoch, in: profiles)
        isProvided = true
    }

    /// The folder that replaces `{profile}` in the browser's command line.
    package var browser: Directory { folder.appending("browser") }
    package var home: Directory { folder.appending("home") }

    /// The variable that marks every process of this profile's browser.
    package var mark: String { Self.mark(profiles: folder.path) }

    /// The text with which the mark of each browser begins whose profile is in the folder `profiles`.
    package static func mark(profiles: String) -> String { "\(markName)=\(profiles)" }
    package static let markName = "BATON_BROWSER_PROFILE"
    /// The variable with the number that the agent gives to each process that it starts as a browser. The extension's
    /// host inherits the variable and writes the number to its ready file, so that the agent can tell which browser's
    /// extension is ready.
    package static let numberName = "BATON_BROWSER_NUMBER"

    /// The profile that a process's mark names; nil if the mark names a profile of another epoch.
    package init?(mark: String, epoch: Epoch.ID) {
        guard mark.hasPrefix("/"), mark.hasSuffix("/\(epoch)") else { return nil }
        self.init(profiles: String(mark.dropLast(epoch.description.utf8.count + 1)), epoch: epoch)
    }

    /// Whether the profile's own folder exists.
    package func isThere() throws(FileError) -> Bool { try Self.isThere(folder) }

    /// Whether the profile belongs to a confined browser. The home and temporary folders of such a browser exist only
    /// in its sandbox.
    package func isConfined() throws(FileError) -> Bool {
        guard try !Self.isThere(home) else { return false }
        return try folder.names().contains { $0 == Self.workersWindow || $0.hasPrefix(Self.signInWindow) }
    }

    /// The names of the folders of confined windows in the profile; the name of a sign-in window's folder is followed
    /// by a number.
    package static let workersWindow = "worker"
    package static let signInWindow = "sign-in-"

    /// Whether anything of the profile is left: its folder, the temporary folder, or moved files that are not yet
    /// removed.
    ///
    /// - Parameter seen: the temporary folder that was recorded while the browser ran.
    package func isAnythingLeft(_ seen: Directory?) throws(FileError) -> Bool {
        for place in [folder, profiles.appending(Self.trashName).appending(name)] {
            if try Self.isThere(place) { return true }
        }
        return try temporary.isLeft(seen)
    }

    private static func isThere(_ folder: Directory) throws(FileError) -> Bool {
        let outcome = unsafe clinux_exists(folder.path)
        guard outcome >= 0 else { throw FileError(.open, errno: -outcome, path: folder.path) }
        return outcome == 1
    }

    private var name: String { folder.path.split(separator: "/").last.map(String.init) ?? "" }

    /// Creates the missing folders. Only this user may enter them.
    ///
    /// - Returns: the temporary folder.
    /// - Throws: ``FileError``, for example if others may enter one of the folders.
    package func make() throws(FileError) -> Directory {
        guard !isProvided else {
            // The storage is removed as a whole, so the folder for temporary files is a part of it.
            guard try isThere() else { throw FileError(.open, errno: ENOENT, path: folder.path) }
            let temporary = folder.appending(Self.temporaryName)
            try Self.make([folder, browser, home, temporary])
            return temporary
        }
        try Self.make([folder, browser, home])
        let temporary = try temporary.make()
        try Self.make([temporary])
        return temporary
    }

    /// Makes the folder of one confined window. The window's browser can only read the folder.
    ///
    /// - Throws: as ``make()``.
    package func makeWindow(_ name: String) throws(FileError) -> Directory {
        let window = folder.appending(name)
        if isProvided {
            guard try isThere() else { throw FileError(.open, errno: ENOENT, path: folder.path) }
        }
        try Self.make([folder, window])
        return window
    }

    private static func make(_ folders: [Directory]) throws(FileError) {
        for directory in folders {
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

    /// Moves the folders out of the live paths, verifies that the live paths are absent, and removes the moved folders.
    /// May be called again after an error.
    ///
    /// - Throws: ``FileError`` if something is left or if that cannot be determined; with `EBUSY` if something is
    ///   mounted in the profile and hides the files below it.
    package func remove() throws(FileError) {
        guard !isProvided else { return try empty() }
        // A failure of one removal must not prevent the other.
        let outcomes = [
            Result { () throws(FileError) in try removeFolder() },
            Result { () throws(FileError) in try temporary.remove() },
        ]
        for outcome in outcomes { try outcome.get() }
    }

    /// Removes the content of the storage. Does nothing if the broker has already removed the storage.
    private func empty() throws(FileError) {
        guard try isThere() else { return }
        for name in try folder.names() { try folder.appending(name).removeTree() }
        guard try folder.names().isEmpty else { throw FileError(.remove, errno: ENOTEMPTY, path: folder.path) }
    }

    private func removeFolder() throws(FileError) {
        let trash = profiles.appending(Self.trashName)
        try trash.make()
        try discard(folder, into: trash)
        try Self.emptyTrash(in: profiles)
    }

    /// Removes all profiles that an agent left in this folder. A failure for one profile does not prevent the removal
    /// of the others.
    ///
    /// - Returns: the number of epochs that had left something.
    /// - Throws: as ``remove()``.
    package static func removeAll(in profiles: Directory) throws(FileError) -> Int {
        let names = Set(try profiles.names().map { TemporaryFolder.epoch(ofRecord: $0) ?? $0 })
        let left = names.sorted().compactMap { Epoch.ID($0) }
        var outcomes = left.map { epoch in
            Result { () throws(FileError) in try BrowserProfile(profiles: profiles.path, epoch: epoch).remove() }
        }
        outcomes.append(Result { () throws(FileError) in try emptyTrash(in: profiles) })
        for outcome in outcomes { try outcome.get() }
        return left.count
    }

    /// Completes earlier removals that were interrupted.
    ///
    /// - Throws: as ``remove()``.
    private static func emptyTrash(in profiles: Directory) throws(FileError) {
        try profiles.appending(trashName).removeTree()
    }

    private static let trashName = "trash"
    /// The name is short, because Chromium creates a socket below this folder, and the path of a socket has at most 107
    /// bytes.
    private static let temporaryName = "t"

    private func discard(_ folder: Directory, into trash: Directory) throws(FileError) {
        // Remove what an interrupted removal left under this name.
        try trash.appending(name).removeTree()
        if unsafe rename(folder.path, trash.path + "/" + name) != 0 {
            guard errno == ENOENT else { throw FileError(.rename, errno: errno, path: folder.path) }
        }
        try profiles.sync()
        try trash.sync()
        try Self.expectAbsence(of: folder)
    }

    private static func expectAbsence(of folder: Directory) throws(FileError) {
        var status = stat()
        let found = unsafe lstat(folder.path, &status) == 0
        guard !found, errno == ENOENT else {
            throw FileError(.remove, errno: found ? EEXIST : errno, path: folder.path)
        }
    }
}
