// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import BrokerProtocol

/// The open connections, within ``ConnectionLimits``.
///
/// If a process's own limit is reached, that process gives up its oldest idle connection. If the limit of an app is
/// reached, that app gives up a connection. If the limit of a user or of all connections is reached, the app with the
/// most connections gives up a connection, provided that it has at least two more than the new connection's app.
/// Otherwise the new connection's app gives up a connection.
///
/// Within that app, the candidates are the processes with the most connections. If a candidate has at least two more
/// connections than the new connection's process, the oldest idle connection of the candidates is closed. If none of
/// their connections is idle, their oldest connection is closed. If no candidate has that many more connections, only
/// an idle connection may be closed: the oldest one of the new connection's process or, if that process has no
/// connection in this app, the oldest one of the candidates. Many idle processes therefore cannot keep other processes
/// out.
package struct ConnectionTable<ID: Hashable & Sendable>: Sendable {
    /// How a connection is used at the moment.
    package struct Use: Sendable {
        let isIdle: Bool
        /// A time or a growing number; the smallest is the oldest.
        let last: UInt64

        package init(isIdle: Bool, last: UInt64) { (self.isIdle, self.last) = (isIdle, last) }
    }

    /// The outcome for a new connection.
    package enum Admission: Sendable, Equatable {
        case admitted
        /// Admitted in place of this connection, which the caller must end.
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
    /// How many connections count towards `limit` for `process`.
    package func count(_ limit: ConnectionLimitReport.Limit, of process: AppProcess) -> Int {
        switch limit {
        case .process: own(process)
        case .app: ofApp[process.app, default: 0]
        case .user: ofUser[process.app.user, default: 0]
        case .total: count
        }
    }

    /// Admits a new connection, if necessary in place of an existing connection.
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

    /// Removes a connection. Does nothing if the table does not hold it.
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

    /// The narrowest limit that one more connection would exceed.
    private func reached(by process: AppProcess) -> ConnectionLimitReport.Limit? {
        if own(process) >= limits.process { return .process }
        if ofApp[process.app, default: 0] >= limits.most(of: process.app) { return .app }
        if ofUser[process.app.user, default: 0] >= limits.user { return .user }
        return processes.count >= limits.total ? .total : nil
    }

    // MARK: - Choosing the displaced connection

    private func displaced(by process: AppProcess, at limit: ConnectionLimitReport.Limit, _ use: (ID) -> Use) -> ID? {
        switch limit {
        case .process: return oldestIdle(use, of: [process])
        case .app: return displaced(by: process, in: process.app, use)
        case .user, .total:
            let candidates = ofApp.filter { limit == .total || $0.key.user == process.app.user }
            if let most = candidates.max(by: { $0.value < $1.value }),
                most.value >= ofApp[process.app, default: 0] + 2
            {
                return displaced(by: process, in: most.key, use)
            }
            return displaced(by: process, in: process.app, use)
        }
    }

    /// Returns the connection that a process of `app` gives up. `app` is the new connection's own app, or an app that
    /// has at least two connections more than that app.
    private func displaced(by process: AppProcess, in app: ConnectedApp, _ use: (ID) -> Use) -> ID? {
        let own = self.own(process)
        let processes = ofProcess.keys.filter { $0.app == app }
        guard let most = processes.map({ self.own($0) }).max() else { return nil }
        let candidates = processes.filter { self.own($0) == most }
        if most >= own + 2 { return oldestIdle(use, of: candidates) ?? oldest(candidates) { use($0).last } }
        if own > 0, app == process.app { return oldestIdle(use, of: [process]) }
        return oldestIdle(use, of: candidates)
    }

    private func oldestIdle(_ use: (ID) -> Use, of processes: [AppProcess]) -> ID? {
        oldest(processes) { id in
            let use = use(id)
            return use.isIdle ? use.last : nil
        }
    }

    /// Returns the connection of these processes for which `number` returns the smallest value. Connections for which
    /// `number` returns nil are skipped.
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
