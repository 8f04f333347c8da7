// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import Files
internal import Logging
internal import Processes

/// The processes that have made requests as apps with folders of data, and those that have registered erasers: in the
/// current session, in the one that is being cleared, and in the earlier ones whose data is still in its place. Every
/// change is on disk before anything depends on it.
struct AppProcesses {
    private struct Record: Codable, Equatable {
        /// The start of the machine in which the processes have these names.
        let boot: String
        var current: [String: Set<ProcessTable.Name>] = [:]
        var former: [String: Set<ProcessTable.Name>] = [:]
        /// Nil if an earlier version wrote the record.
        var erasers: [AppEraser: EraserProcesses]?
        /// Whether an earlier record could not be read; nil if not.
        var isIncomplete: Bool?

        var isEmpty: Bool {
            current.isEmpty && former.isEmpty && erasers?.isEmpty != false && isIncomplete == nil
        }
    }

    private var record: Record
    private let files: DeviceFiles

    /// Whether no process is missing.
    var isComplete: Bool { record.isIncomplete == nil }

    /// The maximum number of running processes of one app that the agent ends.
    private static let maximum = 64

    /// Reads what an earlier supervisor has noted. A process of an earlier start of the machine has ended.
    init(files: DeviceFiles, logger: Logger) {
        self.files = files
        do {
            let boot = try BootClock.id()
            let stored = try files.read(Record.self, DeviceFiles.Name.appProcesses)
            // A record without a start is of this one or an earlier one: nobody knows.
            record = stored.flatMap { $0.boot == boot || $0.boot.isEmpty ? $0 : nil } ?? Record(boot: boot)
        } catch {
            logger.error("the processes of apps are not known", metadata: ["error": "\(error)"])
            // Once the machine has started again, all of them have ended.
            record = Record(boot: (try? BootClock.id()) ?? "", isIncomplete: true)
            do { try files.write(record, DeviceFiles.Name.appProcesses) } catch {
                logger.error("the processes of apps are not known", metadata: ["error": "\(error)"])
            }
        }
    }

    private mutating func change(_ change: (inout Record) -> Void) throws {
        var changed = record
        change(&changed)
        guard changed != record else { return }
        if changed.isEmpty {
            try files.root.file(DeviceFiles.Name.appProcesses).remove()
        } else {
            try files.write(changed, DeviceFiles.Name.appProcesses)
        }
        record = changed
    }

    /// Notes a request of a process as this app.
    mutating func note(_ process: ProcessTable.Name, of app: String) throws {
        try change { Self.add(process, to: &$0.current[app, default: []]) }
    }

    /// Notes a request of a process as an app of the session that is being cleared.
    mutating func noteLate(_ process: ProcessTable.Name, of app: String) throws {
        try change { Self.add(process, to: &$0.former[app, default: []]) }
    }

    /// Notes no process beyond the one that shows that there are too many.
    private static func add(_ process: ProcessTable.Name, to processes: inout Set<ProcessTable.Name>) {
        if processes.count >= maximum { processes = processes.filter(isRunning) }
        if processes.count <= maximum { processes.insert(process) }
    }

    /// Begins the next epoch. Apps of the ended session may connect again before it is cleared. Forgets the processes that
    /// have ended by now: a process that erases does so later, and erases what they have left, too.
    mutating func end() throws {
        try change { record in
            record.former.merge(record.current.mapValues { $0.filter(Self.isRunning) }) { $0.union($1) }
            record.current = [:]
        }
    }

    /// Forgets the session that has been cleared, except the processes of apps whose data is still in its place.
    mutating func cleared(except locked: [String]) throws {
        try change { record in
            record.former.merge(record.current) { $0.union($1) }
            // Whatever a process that has ended has left is locked, and is erased later.
            record.former = record.former.filter { locked.contains($0.key) }.mapValues { $0.filter(Self.isRunning) }
            record.current = [:]
            record.erasers = record.erasers?.filter { locked.contains($0.key.bundleID) }
        }
    }

    /// The running processes of an app that have not erased everything of a session for which they registered erasers;
    /// nil if there are too many.
    func unerased(of app: String, in epoch: Epoch) -> Set<ProcessTable.Name>? {
        let processes = all(of: app).filter { Self.isRunning($0) && !hasErased($0, of: app, in: epoch) }
        return processes.count > Self.maximum ? nil : processes
    }

    /// Whether there is a process of an app besides those that have erased: one that has registered erasers goes on without
    /// having erased, or one that has none, which may have left something of the session since the others erased.
    func isLingering(_ app: String, in epoch: Epoch) -> Bool {
        let erasers = (record.erasers ?? [:]).filter { $0.key.bundleID == app && $0.value.epoch == epoch }.values
        let processes = all(of: app)
        return processes.count > Self.maximum
            || processes.contains { process in
                let own = erasers.filter { $0.registered.contains(process) }
                return own.isEmpty || Self.isRunning(process) && !own.allSatisfy { $0.erased.contains(process) }
            }
    }

    /// The names of the erasers of an app that a process has registered, and whose data it has not erased.
    func owed(by process: ProcessTable.Name, of app: String, in epoch: Epoch) -> [String] {
        (record.erasers ?? [:]).filter { eraser, processes in
            eraser.bundleID == app && processes.epoch == epoch && processes.registered.contains(process)
                && !processes.erased.contains(process)
        }.map(\.key.name).sorted()
    }

    private func hasErased(_ process: ProcessTable.Name, of app: String, in epoch: Epoch) -> Bool {
        let erasers = (record.erasers ?? [:]).filter { eraser, processes in
            eraser.bundleID == app && processes.epoch == epoch && processes.registered.contains(process)
        }
        return !erasers.isEmpty && erasers.values.allSatisfy { $0.erased.contains(process) }
    }

    private func all(of app: String) -> Set<ProcessTable.Name> {
        record.former[app, default: []].union(record.current[app, default: []])
    }

    // MARK: Erasers

    /// Notes that a process has registered an eraser. Each app has its own room, so that none takes that of another; those
    /// of its processes that have ended take none.
    ///
    /// - Returns: whether there was room.
    mutating func register(_ process: ProcessTable.Name, for eraser: AppEraser, in epoch: Epoch) throws -> Bool {
        let known = record.erasers ?? [:]
        // An app that may register owes nothing of an earlier session.
        var own = known.filter { $0.key.bundleID == eraser.bundleID && $0.value.epoch == epoch }
        if Self.registrations(own) >= HandoverName.maximumRegistrations {
            for name in own.keys { own[name]?.forgetEnded(isRunning: Self.isRunning) }
        }
        guard own[eraser, default: EraserProcesses(of: epoch)].register(process, isRunning: Self.isRunning),
            Self.registrations(own) <= HandoverName.maximumRegistrations
        else { return false }
        let others = known.filter { $0.key.bundleID != eraser.bundleID }
        try change { $0.erasers = others.merging(own) { $1 } }
        return true
    }

    /// Whether another process could register an eraser, now that some have ended.
    func hasRoom(for eraser: AppEraser, in epoch: Epoch) -> Bool {
        var own = (record.erasers ?? [:]).filter { $0.key.bundleID == eraser.bundleID && $0.value.epoch == epoch }
        for name in own.keys { own[name]?.forgetEnded(isRunning: Self.isRunning) }
        return Self.registrations(own) < HandoverName.maximumRegistrations
            && own[eraser, default: EraserProcesses(of: epoch)].registered.count < HandoverName.maximumProcesses
    }

    private static func registrations(_ erasers: [AppEraser: EraserProcesses]) -> Int {
        erasers.values.reduce(0) { $0 + $1.registered.count }
    }

    private mutating func set(_ processes: EraserProcesses, of eraser: AppEraser) throws {
        try change { $0.erasers = ($0.erasers ?? [:]).merging([eraser: processes]) { $1 } }
    }

    /// Notes what a process has said about an eraser's data. It is on disk, unless all of it is erased: the caller then
    /// writes that.
    ///
    /// - Returns: the eraser's answer as a whole.
    mutating func answer(
        _ eraser: AppEraser, _ process: ProcessTable.Name, hasErased: Bool, of epoch: Epoch
    ) throws -> Commit.Answer {
        var processes = processes(of: eraser, in: epoch)
        processes.answer(process, hasErased: hasErased, isRunning: Self.isRunning)
        let answer = whole(processes)
        if answer == .done {
            record.erasers = (record.erasers ?? [:]).merging([eraser: processes]) { $1 }
        } else {
            try set(processes, of: eraser)
        }
        return answer
    }

    /// Completes what was on its way to the disk when the supervisor ended: the journal says that all of these erasers'
    /// data is erased.
    mutating func complete(_ erased: some Sequence<AppEraser>, of epoch: Epoch) {
        for eraser in erased {
            var processes = processes(of: eraser, in: epoch)
            processes.complete()
            record.erasers = (record.erasers ?? [:]).merging([eraser: processes]) { $1 }
        }
    }

    /// What the processes of an eraser have said so far.
    func answer(of eraser: AppEraser, in epoch: Epoch) -> Commit.Answer { whole(processes(of: eraser, in: epoch)) }

    /// If processes are missing in the record, one of them may have the data, whatever the others say.
    private func whole(_ processes: EraserProcesses) -> Commit.Answer {
        let answer = processes.answer(isRunning: Self.isRunning)
        return answer == .done && !isComplete ? .awaited : answer
    }

    /// Has an eraser's data erased again if a process may have left some since. That is on disk.
    mutating func askAgain(_ eraser: AppEraser, of epoch: Epoch) throws {
        var processes = processes(of: eraser, in: epoch)
        if processes.askAgain(isRunning: Self.isRunning) { try set(processes, of: eraser) }
    }

    /// Has the erasers of an app erase its data anew if no other process of the app goes on: what those have left since, the
    /// erasers erase. That is on disk.
    ///
    /// - Returns: the erasers.
    mutating func askAnew(_ app: String, of epoch: Epoch) throws -> [AppEraser] {
        let own = (record.erasers ?? [:]).filter { $0.key.bundleID == app && $0.value.epoch == epoch }
        let others = own.values.reduce(into: all(of: app)) { $0.subtract($1.registered) }
        guard isComplete, !others.contains(where: Self.isRunning) else { return [] }
        try change { record in for eraser in own.keys { record.erasers?[eraser]?.askAnew() } }
        return own.keys.sorted()
    }

    /// The running processes of an app that have registered a named eraser and have said nothing about a session's data; nil
    /// if there are too many. Clients that know no names may wait for the reply to a sign-out before they erase.
    func silent(of app: String, in epoch: Epoch) -> Set<ProcessTable.Name>? {
        let erasers = (record.erasers ?? [:]).filter {
            $0.key.bundleID == app && !$0.key.name.isEmpty && $0.value.epoch == epoch
        }
        let silent = Set(erasers.values.flatMap(\.silent)).filter { $0 != .unseen && Self.isRunning($0) }
        return silent.count > Self.maximum ? nil : silent
    }

    /// The processes that have erased an eraser's data.
    func erased(_ eraser: AppEraser, of epoch: Epoch) -> Set<ProcessTable.Name> {
        processes(of: eraser, in: epoch).erased
    }

    /// The running processes that have not erased an eraser's data, as far as they are known.
    func unerased(_ eraser: AppEraser, of epoch: Epoch) -> Set<ProcessTable.Name> {
        let processes = processes(of: eraser, in: epoch)
        return processes.registered.subtracting(processes.erased).filter { $0 != .unseen && Self.isRunning($0) }
    }

    private func processes(of eraser: AppEraser, in epoch: Epoch) -> EraserProcesses {
        let known = record.erasers?[eraser]
        return known?.epoch == epoch ? known ?? EraserProcesses(of: epoch) : EraserProcesses(of: epoch)
    }

    /// Those of these erasers of which nobody is left who could answer.
    func gone(_ erasers: some Sequence<AppEraser>, in epoch: Epoch) -> Set<AppEraser> {
        guard isComplete else { return [] }
        let apps = Set(record.current.keys).union(record.former.keys).filter {
            !all(of: $0).contains(where: Self.isRunning)
        }
        return Set(
            erasers.filter { eraser in
                apps.contains(eraser.bundleID)
                    || processes(of: eraser, in: epoch).isGone(isRunning: Self.isRunning)
            })
    }

    /// The processes whose end may settle something.
    var toWatch: Set<ProcessTable.Name> {
        let erasers = (record.erasers ?? [:]).values.map(\.registered)
        let all = Set((erasers + Array(record.former.values)).joined())
        return all.filter { $0 != .unseen && Self.isRunning($0) }
    }

    /// Whether a process is not known to have ended.
    private static func isRunning(_ name: ProcessTable.Name) -> Bool {
        guard name != .unseen else { return true }
        do throws(FileError) {
            guard let entry = try ProcessTable.entry(name.pid) else { return false }
            return entry.name == name && !entry.isZombie
        } catch { return true }
    }
}
