// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import Processes

/// The processes that have made requests as apps with folders of data, and those that have registered erasers: in the
/// current session, in the one that is being cleared, and in the earlier ones whose data is still in its place.
///
/// A pure value, which ``AppProcesses`` keeps on disk. Whether a process is running is for the caller to say:
/// `isRunning` is true of each process that is not known to have ended.
package struct AppProcessRecord: Codable, Hashable, Sendable {
    /// The start of the machine in which the processes have these names.
    let boot: String
    private var current: [String: Set<ProcessTable.Name>] = [:]
    private var former: [String: Set<ProcessTable.Name>] = [:]
    /// Nil if an earlier version wrote the record.
    private var erasers: [AppEraser: EraserProcesses]?
    /// Whether an earlier record could not be read; nil if not.
    private var isIncomplete: Bool?

    /// - Parameter isIncomplete: whether an earlier record could not be read.
    package init(boot: String, isIncomplete: Bool = false) {
        self.boot = boot
        self.isIncomplete = isIncomplete ? true : nil
    }

    /// Whether no process is missing.
    package var isComplete: Bool { isIncomplete == nil }

    /// Whether it says nothing.
    package var isEmpty: Bool { current.isEmpty && former.isEmpty && erasers?.isEmpty != false && isComplete }

    /// The maximum number of running processes of one app that the agent ends.
    private static let maximum = 64

    // MARK: Requests

    /// Notes a request of a process as this app.
    package mutating func note(
        _ process: ProcessTable.Name, of app: String, isRunning: (ProcessTable.Name) -> Bool
    ) {
        Self.add(process, to: &current[app, default: []], isRunning: isRunning)
    }

    /// Notes a request of a process as an app of the session that is being cleared.
    package mutating func noteLate(
        _ process: ProcessTable.Name, of app: String, isRunning: (ProcessTable.Name) -> Bool
    ) {
        Self.add(process, to: &former[app, default: []], isRunning: isRunning)
    }

    /// Notes no process beyond the one that shows that there are too many.
    private static func add(
        _ process: ProcessTable.Name, to processes: inout Set<ProcessTable.Name>,
        isRunning: (ProcessTable.Name) -> Bool
    ) {
        if processes.count >= maximum { processes = processes.filter(isRunning) }
        if processes.count <= maximum { processes.insert(process) }
    }

    /// Begins the next epoch. Apps of the ended session may connect again before it is cleared. Forgets the processes
    /// that have ended by now: a process that erases does so later, and erases what they have left, too.
    package mutating func end(isRunning: (ProcessTable.Name) -> Bool) {
        former.merge(current.mapValues { $0.filter(isRunning) }) { $0.union($1) }
        current = [:]
    }

    /// Forgets the session that has been cleared, except the processes of apps whose data is still in its place.
    package mutating func cleared(except locked: [String], isRunning: (ProcessTable.Name) -> Bool) {
        former.merge(current) { $0.union($1) }
        // Whatever a process that has ended has left is locked, and is erased later.
        former = former.filter { locked.contains($0.key) }.mapValues { $0.filter(isRunning) }
        current = [:]
        erasers = erasers?.filter { locked.contains($0.key.bundleID) }
    }

    /// The running processes of an app that have not erased everything of a session for which they registered erasers;
    /// nil if there are too many.
    package func unerased(
        of app: String, in epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) -> Set<ProcessTable.Name>? {
        let processes = unerased(of: app, in: epoch).filter(isRunning)
        return processes.count > Self.maximum ? nil : processes
    }

    /// The processes that have made requests as an app and have not erased everything of a session, also those that
    /// have ended.
    package func unerased(of app: String, in epoch: Epoch) -> Set<ProcessTable.Name> {
        requested(as: app).filter { !hasErased($0, of: app, in: epoch) }
    }

    /// Whether there is a process of an app besides those that have erased: one that has registered erasers goes on
    /// without having erased, or one that has none, which may have left something of the session since the others
    /// erased.
    package func isLingering(_ app: String, in epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool) -> Bool {
        let erasers = own(app, in: epoch).values
        let processes = requested(as: app)
        return processes.count > Self.maximum
            || processes.contains { process in
                let own = erasers.filter { $0.registered.contains(process) }
                return own.isEmpty || isRunning(process) && !own.allSatisfy { $0.erased.contains(process) }
            }
    }

    /// The names of the erasers of an app that a process has registered, and whose data it has not erased.
    package func owed(by process: ProcessTable.Name, of app: String, in epoch: Epoch) -> [String] {
        own(app, in: epoch).filter { $1.registered.contains(process) && !$1.erased.contains(process) }
            .map(\.key.name).sorted()
    }

    private func hasErased(_ process: ProcessTable.Name, of app: String, in epoch: Epoch) -> Bool {
        let erasers = own(app, in: epoch).filter { $1.registered.contains(process) }
        return !erasers.isEmpty && erasers.values.allSatisfy { $0.erased.contains(process) }
    }

    /// The processes that have made requests as an app, also those that have ended.
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

    /// Notes that a process has registered an eraser. Each app has its own room, so that none takes that of another;
    /// those of its processes that have ended take none.
    ///
    /// - Returns: whether there was room.
    package mutating func register(
        _ process: ProcessTable.Name, for eraser: AppEraser, in epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) -> Bool {
        // An app that may register owes nothing of an earlier session.
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

    /// Notes what a process has said about an eraser's data.
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

    /// Notes that all of these erasers' data is erased, as the journal says.
    package mutating func complete(_ erased: some Sequence<AppEraser>, of epoch: Epoch) {
        for eraser in erased {
            var processes = processes(of: eraser, in: epoch)
            processes.complete()
            set(processes, of: eraser)
        }
    }

    /// What the processes of an eraser have said so far.
    package func answer(
        of eraser: AppEraser, in epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) -> Commit.Answer {
        whole(processes(of: eraser, in: epoch), isRunning: isRunning)
    }

    /// If processes are missing in the record, one of them may have the data, whatever the others say.
    private func whole(_ processes: EraserProcesses, isRunning: (ProcessTable.Name) -> Bool) -> Commit.Answer {
        let answer = processes.answer(isRunning: isRunning)
        return answer == .done && !isComplete ? .awaited : answer
    }

    /// Has an eraser's data erased again if a process may have left some since.
    package mutating func askAgain(
        _ eraser: AppEraser, of epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) {
        var processes = processes(of: eraser, in: epoch)
        if processes.askAgain(isRunning: isRunning) { set(processes, of: eraser) }
    }

    /// Has the erasers of an app erase its data anew if no other process of the app goes on: what those have left
    /// since, the erasers erase.
    ///
    /// - Returns: the erasers.
    package mutating func askAnew(
        _ app: String, of epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) -> [AppEraser] {
        let own = own(app, in: epoch)
        let others = own.values.reduce(into: requested(as: app)) { $0.subtract($1.registered) }
        guard isComplete, !others.contains(where: isRunning) else { return [] }
        for eraser in own.keys { erasers?[eraser]?.askAnew() }
        return own.keys.sorted()
    }

    /// The running processes of an app that have registered a named eraser and have said nothing about a session's
    /// data; nil if there are too many. Clients that know no names may wait for the reply to a sign-out before they
    /// erase.
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

    /// The running processes that have not erased an eraser's data, as far as they are known.
    package func unerased(
        _ eraser: AppEraser, of epoch: Epoch, isRunning: (ProcessTable.Name) -> Bool
    ) -> Set<ProcessTable.Name> {
        let processes = processes(of: eraser, in: epoch)
        return processes.registered.subtracting(processes.erased).filter { $0 != .unseen && isRunning($0) }
    }

    /// Those of these erasers of which nobody is left who could answer.
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

    /// The processes whose end may settle something.
    package func toWatch(isRunning: (ProcessTable.Name) -> Bool) -> Set<ProcessTable.Name> {
        let registered = (erasers ?? [:]).values.map(\.registered)
        let all = Set((registered + Array(former.values)).joined())
        return all.filter { $0 != .unseen && isRunning($0) }
    }
}
