// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceSettings
internal import Glibc
internal import Logging
internal import Processes
internal import SessionIPC
internal import Synchronization
internal import UnixSocket

/// Manages the apps' connections to this process: gives each a place and a thread.
final class AppConnections: Sendable {
    private typealias Table = ConnectionTable<ObjectIdentifier>

    private struct State {
        /// The epoch that the broker's hello contains.
        var epoch: Epoch
        var open: [ObjectIdentifier: AppConnection] = [:]
        /// One table for each stage, so that connections in one stage cannot keep out connections in another stage.
        var places: [ConnectionLimitReport.Stage: Table] = [
            .greeting: Table(ConnectionLimits.greeting.scaled()), .serving: Table(ConnectionLimits.serving.scaled()),
            .acknowledging: Table(ConnectionLimits.acknowledging.scaled()),
        ]
        var reports = LimitReports()

        mutating func removePlace(of app: AppConnection) {
            for stage in places.keys { places[stage]?.remove(ObjectIdentifier(app)) }
        }
    }

    private let state: Mutex<State>
    private let erasures: ErasureService
    private let supervisor: SupervisorLink
    private let counter: RequestCounter
    private let logger: Logger
    private let ledger = RequestLedger()
    private let concurrency = ConcurrencyLimit()
    private let violations: ViolationLog
    /// Connections get descriptors below this number. The remaining descriptors are reserved for sealed files and the
    /// network.
    private let fileCeiling = Int32(clamping: OpenFileLimit.current - ConnectionLimits.reserve / 2)
    /// Seconds between two reports about the same app and limit.
    private static let reportPause = 1

    init(
        epoch: Epoch, erasures: ErasureService, supervisor: SupervisorLink, counter: RequestCounter, logger: Logger
    ) {
        state = Mutex(State(epoch: epoch))
        (self.erasures, self.supervisor, self.counter, self.logger) = (erasures, supervisor, counter, logger)
        violations = ViolationLog(logger: logger)
    }

    /// The connections that asked for events.
    var listeners: [AppConnection] { state.withLock { $0.open.values.filter(\.wantsEvents) } }

    /// The connections that did not ask for events and on which a request was refused because its app is locked.
    var lockedOut: [AppConnection] {
        state.withLock { $0.open.values.filter { $0.isLockedOut && !$0.wantsEvents } }
    }

    /// Ends the connections of these processes. The processes connect again and ask what they must do.
    func end(_ processes: Set<ProcessTable.Name>) {
        guard !processes.isEmpty else { return }
        let apps = state.withLock { $0.open.values.filter { processes.contains($0.peer.name ?? .unseen) } }
        for app in apps where app.endedEpoch == nil { app.end() }
    }

    func contains(_ app: AppConnection) -> Bool { state.withLock { $0.open[ObjectIdentifier(app)] != nil } }

    /// Uses a new epoch in hellos from now on.
    ///
    /// - Returns: the connections of the previous epoch.
    func begin(_ epoch: Epoch) -> [AppConnection] {
        state.withLock { state in
            state.epoch = epoch
            return Array(state.open.values)
        }
    }

    /// Serves an app on its own thread, if there is a place for it.
    ///
    /// - Parameters:
    ///   - answer: answers a request, on that thread.
    ///   - gone: called when the connection has ended.
    func serve(
        _ descriptor: Descriptor, of peer: PeerRecord, answer: @escaping @Sendable (Request, AppConnection) -> Void,
        gone: @escaping @Sendable (AppConnection) -> Void
    ) {
        guard descriptor.withNumber({ $0 }) < fileCeiling else { return report(.total, .greeting, of: peer.process) }
        let app = AppConnection(
            descriptor, peer: peer, ledger: ledger, concurrency: concurrency, violations: violations
        ) { [weak self] in
            self?.report($0, .requesting, of: peer.process, held: $1)
        }
        let epoch = state.withLock { state in
            state.open[ObjectIdentifier(app)] = app
            return state.epoch
        }
        counter.opened()
        guard enter(.greeting, app) else { return remove(app) }
        do {
            try BlockingThread.start { [self] in
                app.serve(epoch: epoch, logger: logger, greeted: { greeted($0, in: epoch) }, answer: answer)
                remove(app)
                gone(app)
            }
        } catch {
            logger.error("no thread for an app", metadata: ["error": "\(error)"])
            remove(app)
        }
    }

    /// Decides whether an app that has sent its hello is served.
    private func greeted(_ app: AppConnection, in epoch: Epoch) -> Bool {
        // The places for acknowledging are reserved for apps that must answer about an ended epoch. A connection gets
        // such a place only if an app is asked about the epoch that the hello names.
        let acknowledges = app.endedEpoch.map(erasures.isAsked(about:)) ?? false
        guard enter(acknowledges ? .acknowledging : .serving, app) else { return false }
        if app.wantsEvents { supervisor.tell(.listenerArrived(epoch: epoch)) }
        return true
    }

    /// Moves a connection to a stage. If there is no free place, this connection may take the place of another
    /// connection, which is then ended.
    private func enter(_ stage: ConnectionLimitReport.Stage, _ app: AppConnection) -> Bool {
        let (admission, displaced) = state.withLock { state -> (Table.Admission, AppConnection?) in
            let open = state.open
            state.removePlace(of: app)
            let admission =
                state.places[stage]?.admit(ObjectIdentifier(app), of: app.peer.process) {
                    open[$0]?.use ?? .init(isIdle: true, last: 0)
                } ?? .refused(.total)
            guard case .displacing(let other, _) = admission else { return (admission, nil) }
            return (admission, open[other])
        }
        switch admission {
        case .admitted: return true
        case .displacing(_, let limit):
            displaced?.end()
            report(limit, stage, of: app.peer.process)
            return true
        case .refused(let limit):
            report(limit, stage, of: app.peer.process)
            return false
        }
    }

    private func remove(_ app: AppConnection) {
        app.end()
        state.withLock { state in
            state.removePlace(of: app)
            state.open[ObjectIdentifier(app)] = nil
        }
        counter.closed()
    }

    /// Tells the supervisor that a process has reached a connection limit.
    ///
    /// - Parameter held: the quantity that is counted against the limit; nil to count the connections in `stage`.
    private func report(
        _ limit: ConnectionLimitReport.Limit, _ stage: ConnectionLimitReport.Stage, of process: AppProcess,
        held: Int? = nil
    ) {
        counter.limited()
        let time = Int(Glibc.time(nil))
        let due = state.withLock { state in
            let held = held ?? state.places[stage]?.count(limit, of: process) ?? 0
            return state.reports.note(
                ConnectionLimitReport(limit, stage, of: process, held: held, at: time), pause: Self.reportPause)
        }
        if let due { supervisor.tell(.limitReached(due)) }
    }
}
