// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import Files
internal import Logging
internal import Processes

/// Owns the record of the apps' processes. Every change is on disk before anything depends on it.
final class AppProcesses {
    private var record: AppProcessRecord
    private let files: DeviceFiles
    private let ends: ProcessWatch
    private let logger: Logger

    /// Reads what an earlier supervisor recorded. Processes of an earlier start of the machine have ended.
    init(files: DeviceFiles, inputs: Mailbox<SupervisorInput>, logger: Logger) throws {
        (self.files, self.logger) = (files, logger)
        ends = try ProcessWatch { inputs.post(.appProcessEnded) }
        do {
            let boot = try BootClock.id()
            let stored = try files.read(AppProcessRecord.self, DeviceFiles.Name.appProcesses)
            // A record that does not name the machine's start may belong to this start or to an earlier one.
            let known = stored ?? AppProcessRecord(boot: boot)
            record = known.boot == boot || known.boot.isEmpty ? known : known.started(boot: boot)
        } catch {
            logger.error("the processes of apps are not known", metadata: ["error": "\(error)"])
            // All of these processes will have ended once the machine has started again.
            record = AppProcessRecord(boot: (try? BootClock.id()) ?? "", isIncomplete: true)
            do { try files.write(record, DeviceFiles.Name.appProcesses) } catch {
                logger.error("the processes of apps are not known", metadata: ["error": "\(error)"])
            }
        }
    }

    private func change<Result>(_ change: (inout AppProcessRecord) -> Result) throws -> Result {
        var changed = record
        let result = change(&changed)
        guard changed != record else { return result }
        if changed.isEmpty {
            try files.root.file(DeviceFiles.Name.appProcesses).remove()
        } else {
            try files.write(changed, DeviceFiles.Name.appProcesses)
        }
        record = changed
        return result
    }

    /// Whether a process is not known to have ended.
    private static func isRunning(_ name: ProcessTable.Name) -> Bool {
        guard name != .unseen else { return true }
        do throws(FileError) {
            guard let entry = try ProcessTable.entry(name.pid) else { return false }
            return entry.name == name && !entry.isZombie
        } catch { return true }
    }

    // MARK: Changes

    func note(_ process: ProcessTable.Name, of app: String) throws {
        try change { $0.note(process, of: app, isRunning: Self.isRunning) }
    }

    func note(_ folders: Set<String>, of app: String) throws { try change { $0.note(folders, of: app) } }

    func forgetFolders(of app: String) throws { try change { $0.forgetFolders(of: app) } }

    func noteLate(_ process: ProcessTable.Name, of app: String) throws {
        try change { $0.noteLate(process, of: app, isRunning: Self.isRunning) }
    }

    func end() throws { try change { $0.end(isRunning: Self.isRunning) } }

    func cleared(except locked: [String]) throws {
        try change { $0.cleared(except: locked, isRunning: Self.isRunning) }
    }

    func register(_ process: ProcessTable.Name, for eraser: AppEraser, in epoch: Epoch) throws -> Bool {
        try change { $0.register(process, for: eraser, in: epoch, isRunning: Self.isRunning) }
    }

    /// Notes a process's answer about an eraser's data. Writes the answer to disk, unless all of the data is erased: in
    /// that case, the caller writes the result.
    func answer(
        _ eraser: AppEraser, _ process: ProcessTable.Name, hasErased: Bool, of epoch: Epoch
    ) throws -> Commit.Answer {
        var changed = record
        let answer = changed.answer(eraser, process, hasErased: hasErased, of: epoch, isRunning: Self.isRunning)
        if answer == .done { record = changed } else { try change { $0 = changed } }
        return answer
    }

    /// Completes the record if the last answers were not on disk when the supervisor ended: according to the journal,
    /// all data of these erasers is erased.
    func complete(_ erased: some Sequence<AppEraser>, of epoch: Epoch) {
        record.complete(erased, of: epoch)
    }

    func askAgain(_ eraser: AppEraser, of epoch: Epoch) throws {
        try change { $0.askAgain(eraser, of: epoch, isRunning: Self.isRunning) }
    }

    /// - Returns: the erasers that must erase the data anew, each with the processes that had already erased it.
    func askAnew(
        _ app: String, of epoch: Epoch
    ) throws -> [(eraser: AppEraser, erased: Set<ProcessTable.Name>)] {
        let former = record
        let erasers = try change { $0.askAnew(app, of: epoch, isRunning: Self.isRunning) }
        return erasers.map { ($0, former.erased($0, of: epoch)) }
    }

    /// Watches the processes whose end may settle an erasure, so that their end is reported.
    func watch() {
        guard !ends.watch(record.toWatch(isRunning: Self.isRunning)) else { return }
        logger.notice("not every process of an app is watched, so some are waited for after their end")
    }

    // MARK: What the record says

    func folders(of app: String) -> Set<String> { record.folders(of: app) }

    func unerased(of app: String, in epoch: Epoch) -> Set<ProcessTable.Name>? {
        record.unerased(of: app, in: epoch, isRunning: Self.isRunning)
    }

    func isLingering(_ app: String, in epoch: Epoch) -> Bool {
        record.isLingering(app, in: epoch, isRunning: Self.isRunning)
    }

    func owed(by process: ProcessTable.Name, of app: String, in epoch: Epoch) -> [String] {
        record.owed(by: process, of: app, in: epoch)
    }

    func hasRoom(for eraser: AppEraser, in epoch: Epoch) -> Bool {
        record.hasRoom(for: eraser, in: epoch, isRunning: Self.isRunning)
    }

    func answer(of eraser: AppEraser, in epoch: Epoch) -> Commit.Answer {
        record.answer(of: eraser, in: epoch, isRunning: Self.isRunning)
    }

    func silent(of app: String, in epoch: Epoch) -> Set<ProcessTable.Name>? {
        record.silent(of: app, in: epoch, isRunning: Self.isRunning)
    }

    func erased(_ eraser: AppEraser, of epoch: Epoch) -> Set<ProcessTable.Name> {
        record.erased(eraser, of: epoch)
    }

    /// For each locked app, what keeps it locked besides its data.
    func obstacles(to locks: [AppEraser: Epoch]) -> [String: LockObstacle] {
        var obstacles: [String: LockObstacle] = [:]
        for (eraser, ended) in locks {
            let processes = record.unerased(eraser, of: ended, isRunning: Self.isRunning).map(\.pid)
            obstacles[eraser.bundleID, default: LockObstacle()].processes += processes
            obstacles[eraser.bundleID]?.isIncomplete = !record.isComplete
        }
        return obstacles
    }

    func gone(_ erasers: some Sequence<AppEraser>, in epoch: Epoch) -> Set<AppEraser> {
        record.gone(erasers, in: epoch, isRunning: Self.isRunning)
    }

    /// The order to take the data of apps away: see ``DataOrder``.
    func order(
        for apps: [String], of epoch: Epoch, folders: [String: Set<String>], dataHolders: Set<String>,
        until deadline: Duration
    ) -> DataOrder {
        DataOrder(
            for: apps, of: epoch, folders: folders, dataHolders: dataHolders,
            until: deadline, record, isRunning: Self.isRunning)
    }
}

/// What keeps an app locked although one of its processes may have erased the data.
package struct LockObstacle: Sendable, Equatable {
    /// The running processes that have not erased the data.
    package var processes: [Int32] = []
    /// Whether it is not known which processes the app has.
    package var isIncomplete = false

    package init(processes: [Int32] = [], isIncomplete: Bool = false) {
        (self.processes, self.isIncomplete) = (processes, isIncomplete)
    }
}
