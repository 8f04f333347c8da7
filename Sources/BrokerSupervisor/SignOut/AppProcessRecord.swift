// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import Processes

/// The processes that have made requests as apps with folders of data, and those that have registered erasers: in the
/// current session, in the session that is being cleared, and in earlier sessions whose data is still in its place.
///
/// A pure value, which ``AppProcesses`` keeps on disk. The caller determines whether a process is running: `isRunning`
/// returns true for each process that is not known to have ended.
package struct AppProcessRecord: Codable, Hashable, Sendable {
    /// The id of the machine's start. The names of the processes are valid only until the machine's next start.
    let boot: String
    private var current: [String: Set<ProcessTable.Name>] = [:]
    private var former: [String: Set<ProcessTable.Name>] = [:]
    /// Nil if an earlier version wrote the record.
    private var erasers: [AppEraser: EraserProcesses]?
    /// The paths of the folders of each app that was given data of the worker, or whose data of an earlier session is
    /// still in its place. Includes folders that a registration named only earlier in the session. Nil if there are
    /// none.
    private var folders: [String: Set<String>]?
    /// True if an earlier record could not be read; otherwise nil.
    private var isIncomplete: Bool?

    /// - Parameter isIncomplete: whether an earlier record could not be read.
    package init(boot: String, isIncomplete: Bool = false) {
        self.boot = boot
        self.isIncomplete = isIncomplete ? true : nil
    }

    /// Whether no process is missing from the record.
    package var isComplete: Bool { isIncomplete == nil }

    /// Whether the record contains nothing.
    package var isEmpty: Bool {
        current.isEmpty && former.isEmpty && erasers?.isEmpty != false && folders == nil && isComplete
    }

    /// The record after the machine has started again: every process has ended, and the folders are still there.
    package func started(boot: String) -> AppProcessRecord {
        var record = AppProcessRecord(boot: boot)
        record.folders = folders
        return record
    }

    /// The maximum number of running processes of one app that the agent ends.
    private static let maximum = 64
    /// The maximum number of folders of one app that the agent takes away. A registration names at most eight, so only
    /// an app whose registration was replaced several times in a session can have more.
    package static let maximumFolders = 32

    // MARK: Folders

    /// Notes the paths of folders of an app that was given data of the worker, unless it already has more than the
    /// maximum. One folder above the maximum is enough to show that there are too many.
    package mutating func note(_ named: Set<String>, of app: String) {
        let known = folders(of: app)
        let new = named.subtracting(known).sorted().prefix(max(0, Self.maximumFolders + 1 - known.count))
        guard !new.isEmpty else { return }
        folders = (folders ?? [:]).merging([app: known.union(new)]) { $1 }
    }

    /// Whether no folder of an app is missing from the record.
    package func hasAllFolders(of app: String) -> Bool { folders(of: app).count <= Self.maximumFolders }

    /// Forgets the folders of an app whose data is no longer in its place.
    package mutating func forgetFolders(of app: String) {
        folders?[app] = nil
        if folders?.isEmpty == true { folders = nil }
    }

    /// The paths of the folders that were noted for an app since the session began.
    package func folders(of app: String) -> Set<String> { folders?[app] ?? [] }

    // MARK: Requests

    /// Notes that a process made a request as this app.
    package mutating func note(
        _ process: ProcessTable.Name, of app: String, isRunning: (ProcessTable.Name) -> Bool
    ) {
        Self.add(process, to: &current[app, default: []], isRunning: isRunning)
    }

    /// Notes that a process made a request as an app of the session that is being cleared.
    package mutating func noteLate(
        _ process: ProcessTable.Name, of app: String, isRunning: (ProcessTable.Name) -> Bool
    ) {
        Self.add(process, to: &former[app, default: []], isRunning: isRunning)
    }

    /// Adds the process, unless the set already exceeds the maximum. One process above the maximum is enough to show
    /// that there are too many.
    private static func add(
        _ process: ProcessTable.Name, to processes: inout Set<ProcessTable.Name>,
        isRunning: (ProcessTable.Name) -> Bool
    ) {
        if processes.count >= maximum { processes = processes.filter(isRunning) }
        if processes.count <= maximum { processes.insert(process) }
    }

    /// Begins the next epoch. Apps of the ended session may connect again before that session is cleared. Forgets the
    /// processes that have ended by now: a process that later erases the data also erases what they left.
    package mutating func end(isRunning: (ProcessTable.Name) -> Bool) {
        former.merge(current.mapValues { $0.filter(isRunning) }) { $0.union($1) }
        current = [:]
    }

    /// Forgets the session that has been cleared, except the processes and folders of apps whose data is still in its
    /// place.
    package mutating func cleared(except locked: [String], isRunning: (ProcessTable.Name) -> Bool) {
        former.merge(current) { $0.union($1) }
        // The data that an ended process left is erased later; until then, its app is locked.
        former = former.filter { locked.contains($0.key) }.mapValues { $0.filter(isRunning) }
        current = [:]
        for app in (folders ?? [:]).keys where !locked.contains(app) { forgetFolders(of: app) }
        erasers = erasers?.filter { locked.contains($0.key.bundleID) }
    }

    /// The running processes of an app that have not erased all data of a session; nil if there are too many. A process
    /// without an eraser counts as one that has not erased the data.
    package func unerased(
        of app: String, in epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) -> Set<ProcessTable.Name>? {
        let processes = unerased(of: app, in: epoch).filter(isRunning)
        return processes.count > Self.maximum ? nil : processes
    }

    /// The processes that have made requests as an app and have not erased all data of a session, including those that
    /// have ended.
    package func unerased(of app: String, in epoch: Epoch) -> Set<ProcessTable.Name> {
        requested(as: app).filter { !hasErased($0, of: app, in: epoch) }
    }

    /// Whether an app has a process other than those that have erased the data. Such a process is either a running
    /// process that has registered erasers but has not erased the data, or any process without erasers. A process
    /// without erasers may have left data of the session after the app's other processes erased it. An app with too
    /// many processes counts as having such a process.
    package func isLingering(_ app: String, in epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool) -> Bool {
        let erasers = own(app, in: epoch).values
        let processes = requested(as: app)
        return processes.count > Self.maximum
            || processes.contains { process in
                let own = erasers.filter { $0.registered.contains(process) }
                return own.isEmpty || isRunning(process) && !own.allSatisfy { $0.erased.contains(process) }
            }
    }

    /// The names of the app's erasers that a process has registered and whose data the process has not erased.
    package func owed(by process: ProcessTable.Name, of app: String, in epoch: Epoch) -> [String] {
        own(app, in: epoch).filter { $1.registered.contains(process) && !$1.erased.contains(process) }
            .map(\.key.name).sorted()
    }

    private func hasErased(_ process: ProcessTable.Name, of app: String, in epoch: Epoch) -> Bool {
        let erasers = own(app, in: epoch).filter { $1.registered.contains(process) }
        return !erasers.isEmpty && erasers.values.allSatisfy { $0.erased.contains(process) }
    }

    /// The processes that have made requests as an app, including those that have ended.
    private func requested(as app: String) -> Set<ProcessTable.Name> {
        former[app, default: []].union(current[app, default: []])
    }

    // MARK: Erasers

    /// The erasers that an app has registered in a session.
    private func own(_ app: String, in epoch: Epoch) -> [AppEraser: EraserProcesses] {
        (erasers ?? [:]).filter { $0.key.bundleID == app && $0.value.epoch == epoch }
    }

    private func processes(of eraser: AppEraser, in epoch: Epoch) -> EraserProcesses {
        let known = erasers?[eraser]
        return known?.epoch == epoch ? known ?? EraserProcesses(of: epoch) : EraserProcesses(of: epoch)
    }

    private mutating func set(_ processes: EraserProcesses, of eraser: AppEraser) {
        erasers = (erasers ?? [:]).merging([eraser: processes]) { $1 }
    }

    /// Notes that a process has registered an eraser. The limits apply to each app separately, so that no app prevents
    /// another from registering erasers. Processes that have ended do not count.
    ///
    /// - Returns: false if a limit has been reached.
    package mutating func register(
        _ process: ProcessTable.Name, for eraser: AppEraser, in epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) -> Bool {
        // An app that may register has no data of an earlier session to erase.
        var own = own(eraser.bundleID, in: epoch)
        if Self.registrations(own) >= HandoverName.maximumRegistrations {
            for name in own.keys { own[name]?.forgetEnded(isRunning: isRunning) }
        }
        guard own[eraser, default: EraserProcesses(of: epoch)].register(process, isRunning: isRunning),
            Self.registrations(own) <= HandoverName.maximumRegistrations
        else { return false }
        let others = (erasers ?? [:]).filter { $0.key.bundleID != eraser.bundleID }
        erasers = others.merging(own) { $1 }
        return true
    }

    /// Whether another process could register an eraser, now that some have ended.
    package func hasRoom(for eraser: AppEraser, in epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool) -> Bool {
        var own = own(eraser.bundleID, in: epoch)
        for name in own.keys { own[name]?.forgetEnded(isRunning: isRunning) }
        return Self.registrations(own) < HandoverName.maximumRegistrations
            && own[eraser, default: EraserProcesses(of: epoch)].registered.count < HandoverName.maximumProcesses
    }

    private static func registrations(_ erasers: [AppEraser: EraserProcesses]) -> Int {
        erasers.values.reduce(0) { $0 + $1.registered.count }
    }

    /// Notes a process's answer about an eraser's data.
    ///
    /// - Returns: the eraser's answer as a whole.
    package mutating func answer(
        _ eraser: AppEraser, _ process: ProcessTable.Name, hasErased: Bool, of epoch: Epoch,
        isRunning: (ProcessTable.Name) -> Bool
    ) -> Commit.Answer {
        var processes = processes(of: eraser, in: epoch)
        processes.answer(process, hasErased: hasErased, isRunning: isRunning)
        set(processes, of: eraser)
        return whole(processes, isRunning: isRunning)
    }

    /// Notes that all data of these erasers is erased, according to the journal.
    package mutating func complete(_ erased: some Sequence<AppEraser>, of epoch: Epoch) {
        for eraser in erased {
            var processes = processes(of: eraser, in: epoch)
            processes.complete()
            set(processes, of: eraser)
        }
    }

    /// The eraser's answer as a whole, from what its processes have answered so far.
    package func answer(
        of eraser: AppEraser, in epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) -> Commit.Answer {
        whole(processes(of: eraser, in: epoch), isRunning: isRunning)
    }

    /// The eraser's answer as a whole. If processes are missing from the record, one of these missing processes may
    /// have the data, whatever the recorded processes have answered.
    private func whole(_ processes: EraserProcesses, isRunning: (ProcessTable.Name) -> Bool) -> Commit.Answer {
        let answer = processes.answer(isRunning: isRunning)
        return answer == .done && !isComplete ? .awaited : answer
    }

    /// Requires an eraser's data to be erased again if a process may have left some of it since the last erasure.
    package mutating func askAgain(
        _ eraser: AppEraser, of epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) {
        var processes = processes(of: eraser, in: epoch)
        if processes.askAgain(isRunning: isRunning) { set(processes, of: eraser) }
    }

    /// Requires the erasers of an app to erase its data anew if every process of the app that has registered no eraser
    /// has ended. The erasers then also erase what those processes have left.
    ///
    /// - Returns: the erasers.
    package mutating func askAnew(
        _ app: String, of epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) -> [AppEraser] {
        let own = own(app, in: epoch)
        // A process of a later session was given nothing, because the app is locked.
        let others = own.values.reduce(into: former[app, default: []]) { $0.subtract($1.registered) }
        guard isComplete, !others.contains(where: isRunning) else { return [] }
        for eraser in own.keys { erasers?[eraser]?.askAnew() }
        return own.keys.sorted()
    }

    /// The running processes of an app that have registered a named eraser and have not answered about a session's
    /// data; nil if there are too many. Erasers without a name are left out, because clients that do not know names may
    /// wait for the reply to a sign-out before they erase their data.
    package func silent(
        of app: String, in epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) -> Set<ProcessTable.Name>? {
        let erasers = own(app, in: epoch).filter { !$0.key.name.isEmpty }
        let silent = Set(erasers.values.flatMap(\.silent)).filter { $0 != .unseen && isRunning($0) }
        return silent.count > Self.maximum ? nil : silent
    }

    /// The processes that have erased an eraser's data.
    package func erased(_ eraser: AppEraser, of epoch: Epoch) -> Set<ProcessTable.Name> {
        processes(of: eraser, in: epoch).erased
    }

    /// The known running processes that have not erased an eraser's data.
    package func unerased(
        _ eraser: AppEraser, of epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) -> Set<ProcessTable.Name> {
        let processes = processes(of: eraser, in: epoch)
        return processes.registered.subtracting(processes.erased).filter { $0 != .unseen && isRunning($0) }
    }

    /// Returns which of these erasers have no running process that could still answer.
    package func gone(
        _ erasers: some Sequence<AppEraser>, in epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) -> Set<AppEraser> {
        guard isComplete else { return [] }
        let apps = Set(current.keys).union(former.keys).filter { !requested(as: $0).contains(where: isRunning) }
        return Set(
            erasers.filter { eraser in
                apps.contains(eraser.bundleID) || processes(of: eraser, in: epoch).isGone(isRunning: isRunning)
            })
    }

    /// The running processes to watch, because their end may settle an erasure.
    package func toWatch(isRunning: (ProcessTable.Name) -> Bool) -> Set<ProcessTable.Name> {
        let registered = (erasers ?? [:]).values.map(\.registered)
        let all = Set((registered + Array(former.values)).joined())
        return all.filter { $0 != .unseen && isRunning($0) }
    }
}
