// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import Files
internal import Logging
internal import Processes

/// The processes that have made requests as apps with folders of data: in the current session, in the one that is being
/// cleared, and in the earlier ones whose data is still in its place. Every change is on disk before anything depends on
/// it.
struct AppProcesses {
    private struct Record: Codable, Equatable {
        /// The start of the machine in which the processes have these names.
        let boot: String
        var current: [String: Set<ProcessTable.Name>] = [:]
        var former: [String: Set<ProcessTable.Name>] = [:]
        /// Whether an earlier record could not be read; nil if not.
        var isIncomplete: Bool?

        var isEmpty: Bool { current.isEmpty && former.isEmpty && isIncomplete == nil }
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
            record = stored.flatMap { $0.boot == boot ? $0 : nil } ?? Record(boot: boot)
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
        if processes.count >= maximum { processes = processes.filter { !hasEnded($0) } }
        if processes.count <= maximum { processes.insert(process) }
    }

    /// Begins the next epoch. Apps of the ended session may connect again before it is cleared.
    mutating func end() throws {
        try change { record in
            record.former.merge(record.current) { $0.union($1) }
            record.current = [:]
        }
    }

    /// Forgets the session that has been cleared, except the processes of apps whose data is still in its place.
    mutating func cleared(except locked: [String]) throws {
        try change { record in
            record.former.merge(record.current) { $0.union($1) }
            record.former = record.former.filter { locked.contains($0.key) }
            record.current = [:]
        }
    }

    /// The running processes of an app; nil if there are too many.
    func processes(of app: String) -> Set<ProcessTable.Name>? {
        let processes = all(of: app).filter { !Self.hasEnded($0) }
        return processes.count > Self.maximum ? nil : processes
    }

    private func all(of app: String) -> Set<ProcessTable.Name> {
        record.former[app, default: []].union(record.current[app, default: []])
    }

    /// The apps whose processes have all ended.
    var ended: Set<String> {
        guard isComplete else { return [] }
        return Set(record.current.keys).union(record.former.keys).filter { all(of: $0).allSatisfy(Self.hasEnded) }
    }

    /// Whether a process is known to have ended.
    private static func hasEnded(_ name: ProcessTable.Name) -> Bool {
        do throws(FileError) {
            guard let entry = try ProcessTable.entry(name.pid) else { return true }
            return entry.name != name || entry.isZombie
        } catch { return false }
    }
}
