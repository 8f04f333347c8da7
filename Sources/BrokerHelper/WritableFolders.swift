// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import CLinux
internal import Files
internal import Glibc
internal import Logging
internal import Processes
internal import Synchronization

/// The folders in which session users may create files, except those that each report searches anyway.
///
/// A search reads the names of all files on the machine. It runs on a thread of its own that uses the processor only
/// when nothing else does. A hand-over ends the search.
final class WritableFolders: Sendable {
    /// What a complete search found. `isComplete` is false if a folder or a file system could not be read.
    struct Findings: Equatable {
        /// When the search began, in seconds since the machine was started.
        let began: Int
        var folders: [String] = []
        var isComplete = true
    }

    private struct State {
        /// The findings of the last complete search; nil before the first.
        var findings: Findings?
        var isRunning = false
        /// Whether a search was asked for while another one was running. The running search may already have passed a
        /// new folder.
        var isAskedForAgain = false
        /// Whether another search begins when the hand-over has ended.
        var isDue = false
        /// Whether a hand-over has begun since a search was last asked for.
        var isHalted = false
    }

    private let users: [SystemUser]
    /// The folders below which nothing is searched.
    private let excluded: Set<String>
    private let logger: Logger
    private let state = Mutex(State())
    /// The number of calls of ``halt()``. A search ends when it sees this number change, whatever is asked for
    /// meanwhile.
    private let halts = Atomic(0)

    private static let limits = FolderWalk.Limits(entries: 20_000_000, depth: 256)
    private static let maximumFolders = 1024

    /// - Parameter storage: the folder of the sessions' storage.
    init(users: [SystemUser], storage: String, logger: Logger) {
        self.users = users
        self.logger = logger
        excluded = Set(
            SearchedPlace.allCases.flatMap(\.commonFolders) + users.map(\.home)
                + [SearchedPlace.runtimeFolders, storage])
    }

    /// The findings of the last complete search; nil until the first search has ended.
    var findings: Findings? { state.withLock(\.findings) }

    /// Begins a search. If one is already running, another search follows it.
    func refresh() {
        let begins = state.withLock { state in
            state.isHalted = false
            guard !state.isRunning else {
                state.isAskedForAgain = true
                return false
            }
            (state.isRunning, state.isDue, state.isAskedForAgain) = (true, false, false)
            return true
        }
        guard begins else { return }
        do throws(ThreadFailure) { try BlockingThread.start { [self] in run() } } catch {
            logger.error("the search for writable folders cannot begin", metadata: ["error.number": "\(error.errno)"])
            state.withLock { $0.isRunning = false }
        }
    }

    /// Ends a running search, because a hand-over has begun.
    func halt() {
        halts.add(1, ordering: .sequentiallyConsistent)
        state.withLock { state in
            state.isHalted = true
            if state.isRunning { state.isDue = true }
        }
    }

    /// Begins again the search that ``halt()`` ended.
    func resume() { if state.withLock(\.isDue) { refresh() } }

    private func run() {
        let outcome = clinux_run_when_idle()
        if outcome != 0 {
            logger.warning(
                "the search for writable folders competes with other programs",
                metadata: ["error.number": "\(-outcome)"])
        }
        let found = search()
        let isLeftOver = state.withLock { state in
            state.isRunning = false
            if let found { (state.findings, state.isDue) = (found, state.isAskedForAgain) }
            return (found == nil || state.isAskedForAgain) && !state.isHalted
        }
        if let found {
            logger.info(
                "searched for folders in which session users may create files",
                metadata: ["folders": "\(found.folders.count)", "complete": "\(found.isComplete)"])
        }
        // The hand-over may have begun and ended before the search noticed it. In that case nothing else begins the
        // search again.
        if isLeftOver { refresh() }
    }

    /// Searches every file system of this machine; nil if a hand-over ended the search.
    private func search() -> Findings? {
        let began = halts.load(ordering: .sequentiallyConsistent)
        var findings = Findings(began: Int(BootClock.now().components.seconds))
        guard let table = try? MountTable.read() else {
            findings.isComplete = false
            return findings
        }
        let further = try? SubordinateUsers.read(of: users.map(\.number))
        if further == nil { findings.isComplete = false }
        let owners = Owners(users: Set(users.map(\.number)), further: further ?? SubordinateUsers())
        let mounts = table.visible
        var walk = FolderWalk(limits: Self.limits, mountPoints: Set(mounts.map(\.path)))
        for mount in mounts where !mount.isReadOnly && !isExcluded(mount.path) {
            switch mount.backing {
            case .kernel: continue
            case .other: findings.isComplete = false
            case .machine: search(below: mount.path, of: owners, by: &walk, since: began, into: &findings)
            }
            if halts.load(ordering: .sequentiallyConsistent) != began { return nil }
        }
        return findings
    }

    /// The user ids under which session users may own folders.
    private struct Owners {
        let users: Set<UInt32>
        let further: SubordinateUsers

        func contains(_ user: UInt32) -> Bool { users.contains(user) || further.contains(user) }
    }

    private func search(
        below root: String, of owners: Owners, by walk: inout FolderWalk, since began: Int,
        into findings: inout Findings
    ) {
        guard let entry = try? FolderWalk.folder(root) else { return findings.isComplete = false }
        guard look(at: entry, owners, into: &findings) == .into else { return }
        walk.walk(root) { entry in
            if halts.load(ordering: .relaxed) != began { return .stop }
            guard entry.isFolder, !excluded.contains(entry.path) else { return .past }
            return look(at: entry, owners, into: &findings)
        } unread: { _, _ in
            findings.isComplete = false
        }
    }

    private func look(
        at folder: FolderWalk.Entry, _ owners: Owners, into findings: inout Findings
    ) -> FolderWalk.Step {
        guard folder.isForEveryUser || owners.contains(folder.owner) else { return .into }
        guard findings.folders.count < Self.maximumFolders else {
            findings.isComplete = false
            return .stop
        }
        findings.folders.append(folder.path)
        return .past
    }

    private func isExcluded(_ path: String) -> Bool {
        excluded.contains { path == $0 || path.hasPrefix($0 + "/") }
    }
}
