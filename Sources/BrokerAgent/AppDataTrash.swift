// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Files
internal import Glibc
internal import Logging
internal import Processes
internal import Synchronization

/// Takes away the folders of apps that have not erased the worker's data: moves them into a folder of the agent and
/// leaves empty folders in their place. A background thread empties the agent's folder at once.
///
/// A rename takes no time, whatever a folder contains, so the next worker does not wait for the removal.
final class AppDataTrash: Sendable {
    private let folder: Directory
    private let logger: Logger
    /// How long to wait before trying again to remove something that could not be removed.
    private let pause: Duration
    /// Called after each removal with the number of taken folders that are still there.
    private let emptied: @Sendable (Int) -> Void
    private let removal = Mutex(Removal())
    /// The folders that were taken away after the latest epoch. They are remembered because a repeated order finds
    /// nothing left to take. This value is locked while folders are taken.
    private let taken: Mutex<Taken>

    struct Taken: Codable {
        var epoch: Epoch.ID?
        var paths: Set<String> = []
    }

    /// The threads that remove taken folders: at most one thread that removes, and one that waits to try again.
    private struct Removal {
        var isRunning = false
        /// Whether something was taken since the running removal last looked at the folder.
        var isAsked = false
        var isDueLater = false

        /// Returns whether the running removal must look at the folder again. If not, the removal is over.
        mutating func goesOn() -> Bool {
            defer { (isRunning, isAsked) = (isAsked, false) }
            return isAsked
        }
    }

    /// How long the processes of all apps together may take to end. The limit leaves time to move folders even if a
    /// process does not end.
    private static let patience = Duration.seconds(1)

    /// The prefix of the new name of each taken folder. Nothing else in the agent's folder is removed.
    private static let prefix = "taken-"

    /// - Parameters:
    ///   - folder: on the file system of the apps' folders; made if it is missing.
    ///   - taken: what was taken before this process started anew.
    ///   - emptied: called after each removal with the number of taken folders that are still there.
    init(
        folder: Directory, taken: Taken = Taken(), pause: Duration = .seconds(600), logger: Logger,
        emptied: @escaping @Sendable (Int) -> Void
    ) {
        (self.folder, self.pause, self.logger, self.emptied) = (folder, pause, logger, emptied)
        self.taken = Mutex(taken)
    }

    /// The folders that were taken away after the latest epoch; nil while folders are being taken.
    var latest: Taken? { taken.withLockIfAvailable { $0 } }

    /// Ends the processes of these apps, and takes their folders away; blocks.
    ///
    /// - Parameters:
    ///   - epoch: the epoch that has ended.
    ///   - deadline: when to stop killing and moving, counted from the machine's start. Processes and folders that are
    ///     found later could be the next worker's.
    /// - Returns: the apps with a folder that could not be taken away, each with the first reason.
    func take(_ apps: [AppData], of epoch: Epoch.ID, until deadline: Duration) -> [AppDataFailure] {
        taken.withLock { taken in
            if taken.epoch != epoch { taken = Taken(epoch: epoch) }
            return take(apps, until: deadline, &taken.paths)
        }
    }

    private func take(
        _ apps: [AppData], until deadline: Duration, _ taken: inout Set<String>
    ) -> [AppDataFailure] {
        var failures: [AppDataFailure] = []
        var moved: [String: Set<String>] = [:]
        let ends = ProcessSweep.end(
            apps.map { Set($0.processes) }, until: min(deadline, BootClock.now() + Self.patience))
        for (app, end) in zip(apps, ends) {
            var obstacle = end.map { Obstacle(code: .processLeft, cause: "\($0)") }
            // If one folder cannot be taken away, the others are still taken away, unless a process could write the
            // data again.
            for path in end == nil ? app.folders : [] {
                do throws(Obstacle) {
                    guard try take(path, until: deadline) else { continue }
                    taken.insert(path)
                    moved[Self.parent(of: path), default: []].insert(app.app)
                } catch { obstacle = obstacle ?? error }
            }
            if let obstacle {
                failures.append(failure(app.app, obstacle))
            } else if !taken.isSuperset(of: app.folders) {
                failures.append(AppDataFailure(app: app.app, code: .missing))
            }
        }
        failures += sync(moved)
        empty()
        return failures
    }

    private func failure(_ app: String, _ obstacle: Obstacle) -> AppDataFailure {
        logger.error(
            "the data of an app cannot be taken away",
            metadata: ["app": "\(app)", "error.code": "\(obstacle.code.rawValue)", "error": "\(obstacle.cause)"])
        return AppDataFailure(app: app, code: obstacle.code)
    }

    /// Writes all renames to disk. Only the first folder takes much time: a file system with a single journal writes
    /// all renames along with it.
    ///
    /// - Parameter moved: the apps whose folders were moved, by the paths of the parent folders.
    private func sync(_ moved: [String: Set<String>]) -> [AppDataFailure] {
        guard !moved.isEmpty else { return [] }
        var failed: [String: Obstacle] = [:]
        let apps = moved.values.reduce(into: Set()) { $0.formUnion($1) }
        for (path, apps) in [(folder.path, apps)] + moved.sorted(by: { $0.key < $1.key }) {
            do throws(FileError) { try Directory(path: path).sync() } catch {
                for app in apps { failed[app] = Obstacle(error) }
            }
        }
        return failed.sorted { $0.key < $1.key }.map(failure)
    }

    private static func parent(of path: String) -> String {
        path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    }

    /// Removes what was taken away, in the background. If something cannot be removed, tries again after a pause.
    func empty() {
        let mustStart = removal.withLock { removal in
            defer { (removal.isRunning, removal.isAsked) = (true, true) }
            return !removal.isRunning
        }
        guard mustStart else { return }
        do { try BlockingThread.start { [self] in removeWhileAsked() } } catch {
            removal.withLock { $0.isRunning = false }
            logger.error("what was taken from apps is not removed", metadata: ["error": "\(error)"])
        }
    }

    private func removeWhileAsked() {
        while removal.withLock({ $0.goesOn() }) {
            let left = remove()
            emptied(left)
            if left > 0 { emptyLater() }
        }
    }

    /// - Returns: how many folders are still there; 1 if that is unknown.
    private func remove() -> Int {
        let names: [String]
        do throws(FileError) {
            names = try folder.names().filter { $0.hasPrefix(Self.prefix) }
        } catch {
            log(error)
            return 1
        }
        // If one folder cannot be removed, the others are still removed.
        return names.count { name in
            do throws(FileError) { try folder.appending(name).removeTree() } catch {
                log(error)
                return true
            }
            return false
        }
    }

    private func emptyLater() {
        let mustStart = removal.withLock { removal in
            defer { removal.isDueLater = true }
            return !removal.isDueLater
        }
        guard mustStart else { return }
        do {
            try BlockingThread.start { [self] in
                usleep(UInt32(pause / .microseconds(1)))
                removal.withLock { $0.isDueLater = false }
                empty()
            }
        } catch {
            removal.withLock { $0.isDueLater = false }
            logger.error("what was taken from apps is not removed", metadata: ["error": "\(error)"])
        }
    }

    private func log(_ error: FileError) {
        logger.error("what was taken from apps cannot be removed", metadata: ["error": "\(error)"])
    }

    /// Why a folder is still in its place.
    private struct Obstacle: Error {
        let code: AppDataFailure.Code
        let cause: String

        init(code: AppDataFailure.Code, cause: String) { (self.code, self.cause) = (code, cause) }

        init(_ error: FileError) {
            self.init(code: error.errno == EXDEV ? .elsewhere : .notMoved, cause: "\(error)")
        }
    }

    private static func check(_ deadline: Duration) throws(Obstacle) {
        guard BootClock.now() < deadline else { throw Obstacle(code: .agentSilent, cause: "there is no time left") }
    }

    /// Takes a folder away. The rename may not be on disk yet when this method returns.
    ///
    /// - Returns: whether the folder was there.
    private func take(_ path: String, until deadline: Duration) throws(Obstacle) -> Bool {
        try checkMounts(path)
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return false }
            throw Obstacle(code: .notMoved, cause: "it cannot be examined: errno \(errno)")
        }
        try check(path, status)
        do throws(FileError) { try folder.makePrivate() } catch { throw Obstacle(error) }
        try Self.check(deadline)
        do throws(FileError) {
            // The name is random, because folders that were taken earlier may still be there.
            let name = Self.prefix + String(UInt64.random(in: 0 ... .max), radix: 16)
            guard unsafe rename(path, folder.path + "/" + name) == 0 else {
                throw FileError(.rename, errno: errno, path: path)
            }
            // Leave an empty folder for the app, because a folder that is missing at a sign-out shows that the
            // registration is wrong. If the empty folder cannot be made, the next sign-out reports it as missing.
            _ = unsafe mkdir(path, status.st_mode & 0o7777)
        } catch { throw Obstacle(error) }
        return true
    }

    /// Checks that the file system is not provided by another machine or program, which might not answer, and that
    /// nothing is mounted at the folder or in it. Does not touch the folder.
    private func checkMounts(_ path: String) throws(Obstacle) {
        let mounts: [MountTable.Mount]
        do throws(FileError) { mounts = try MountTable.read().visible } catch { throw Obstacle(error) }
        if mounts.contains(where: { $0.path == path || $0.path.hasPrefix(path + "/") }) {
            throw Obstacle(code: .mounted, cause: "it is a mount, or contains one")
        }
        let nearest = mounts.filter { $0.contains(path) }.max { $0.path.utf8.count < $1.path.utf8.count }
        guard nearest?.backing == .machine else {
            throw Obstacle(code: .elsewhere, cause: "its file system is not one of this machine")
        }
    }

    /// Checks that the folder belongs to this user and that its path contains no link.
    private func check(_ path: String, _ status: stat) throws(Obstacle) {
        let real: String
        do throws(FileError) { real = try Directory(path: path).realPath() } catch { throw Obstacle(error) }
        guard status.st_mode & S_IFMT == S_IFDIR, real == path else {
            throw Obstacle(code: .notAFolder, cause: "it is reached through a link, or is no folder")
        }
        guard status.st_uid == geteuid() else {
            throw Obstacle(code: .foreign, cause: "it belongs to user \(status.st_uid)")
        }
    }
}
