// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import BrokerProtocol

/// The connections that hold a place, within ``ConnectionLimits``.
///
/// Where a limit is reached, the process that has the most gives up its oldest idle connection for the new one. No app loses
/// a connection to an app that has as many, and no process to a process that has as many, unless it has but one and so
/// has everybody: then the oldest idle one goes, so that nobody is kept out by a crowd that does nothing.
package struct ConnectionTable<ID: Hashable & Sendable>: Sendable {
    /// How a connection is used at this moment.
    package struct Use: Sendable {
        let isIdle: Bool
        /// A moment or a number that grows; the least is the oldest.
        let last: UInt64

        package init(isIdle: Bool, last: UInt64) { (self.isIdle, self.last) = (isIdle, last) }
    }

    /// What became of a new connection.
    package enum Admission: Sendable, Equatable {
        case admitted
        /// Admitted in the place of another one, which has to be ended.
        case displacing(ID, ConnectionLimitReport.Limit)
        case refused(ConnectionLimitReport.Limit)
    }

    private let limits: ConnectionLimits
    private var processes: [ID: AppProcess] = [:]
    private var ofProcess: [AppProcess: Set<ID>] = [:]
    private var ofApp: [ConnectedApp: Int] = [:]
    private var ofUser: [UInt32: Int] = [:]

    package init(_ limits: ConnectionLimits) { self.limits = limits }

    package var count: Int { processes.count }
    package func contains(_ id: ID) -> Bool { processes[id] != nil }
    /// How many those have whom this limit is for, where `process` is one of them.
    package func count(_ limit: ConnectionLimitReport.Limit, of process: AppProcess) -> Int {
        switch limit {
        case .process: own(process)
        case .app: ofApp[process.app, default: 0]
        case .user: ofUser[process.app.user, default: 0]
        case .total: count
        }
    }

    /// Gives a new connection a place, if need be another one's.
    package mutating func admit(_ id: ID, of process: AppProcess, use: (ID) -> Use) -> Admission {
        guard let limit = reached(by: process) else {
            insert(id, process)
            return .admitted
        }
        guard let displaced = displaced(by: process, at: limit, use) else { return .refused(limit) }
        remove(displaced)
        insert(id, process)
        return .displacing(displaced, limit)
    }

    /// Takes the place back; one that has none is fine.
    package mutating func remove(_ id: ID) {
        guard let process = processes.removeValue(forKey: id) else { return }
        ofProcess[process]?.remove(id)
        if own(process) == 0 { ofProcess[process] = nil }
        Self.decrease(&ofApp, process.app)
        Self.decrease(&ofUser, process.app.user)
    }

    private mutating func insert(_ id: ID, _ process: AppProcess) {
        processes[id] = process
        ofProcess[process, default: []].insert(id)
        ofApp[process.app, default: 0] += 1
        ofUser[process.app.user, default: 0] += 1
    }

    private static func decrease<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
        counts[key] = counts[key].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    private func own(_ process: AppProcess) -> Int { ofProcess[process]?.count ?? 0 }

    /// The narrowest limit that one more would go over.
    private func reached(by process: AppProcess) -> ConnectionLimitReport.Limit? {
        if own(process) >= limits.process { return .process }
        if ofApp[process.app, default: 0] >= limits.most(of: process.app) { return .app }
        if ofUser[process.app.user, default: 0] >= limits.user { return .user }
        return processes.count >= limits.total ? .total : nil
    }

    // MARK: - Whose place it is

    private func displaced(by process: AppProcess, at limit: ConnectionLimitReport.Limit, _ use: (ID) -> Use) -> ID? {
        switch limit {
        case .process: return oldestIdle(use, of: [process])
        case .app: return displaced(by: process, in: process.app, use)
        case .user, .total:
            let rivals = ofApp.filter { limit == .total || $0.key.user == process.app.user }
            if let most = rivals.max(by: { $0.value < $1.value }),
                most.value >= ofApp[process.app, default: 0] + 2
            {
                return displaced(by: process, in: most.key, use)
            }
            return displaced(by: process, in: process.app, use)
        }
    }

    /// The connection that one of `app` gives up, which may be the newcomer's own app or one that has more.
    private func displaced(by process: AppProcess, in app: ConnectedApp, _ use: (ID) -> Use) -> ID? {
        let own = self.own(process)
        let processes = ofProcess.keys.filter { $0.app == app }
        guard let most = processes.map({ self.own($0) }).max() else { return nil }
        let greedy = processes.filter { self.own($0) == most }
        if most >= own + 2 { return oldestIdle(use, of: greedy) ?? oldest(greedy) { use($0).last } }
        if own > 0, app == process.app { return oldestIdle(use, of: [process]) }
        return oldestIdle(use, of: greedy)
    }

    private func oldestIdle(_ use: (ID) -> Use, of processes: [AppProcess]) -> ID? {
        oldest(processes) { id in
            let use = use(id)
            return use.isIdle ? use.last : nil
        }
    }

    /// The connection of these processes with the least number; those without a number do not count.
    private func oldest(_ processes: [AppProcess], _ number: (ID) -> UInt64?) -> ID? {
        var found: (id: ID, number: UInt64)?
        for process in processes {
            for id in ofProcess[process, default: []] {
                guard let number = number(id), number < found?.number ?? .max else { continue }
                found = (id, number)
            }
        }
        return found?.id
    }
}
