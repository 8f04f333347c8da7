// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import Processes
internal import Synchronization
internal import UnixSocket

extension AccountDesk {
    /// Serves an app on a thread of its own, where there is a place for it.
    func serve(_ descriptor: Descriptor, _ peer: PeerRecord) {
        guard descriptor.withNumber({ $0 }) < fileCeiling else { return report(.total, .greeting, of: peer.process) }
        let app = AppConnection(descriptor, peer: peer, ledger: ledger, concurrency: concurrency) { [weak self] in
            self?.report($0, .requesting, of: peer.process, held: $1)
        }
        let epoch = state.withLock { state in
            state.connections[ObjectIdentifier(app)] = app
            return state.epoch
        }
        guard enter(.greeting, app) else { return leave(app) }
        do {
            try BlockingThread.start { [self] in
                app.serve(epoch: epoch, logger: logger, greeted: { greeted($0, in: epoch) }, answer: answer)
                isReady(app)
                leave(app)
            }
        } catch {
            logger.error("no thread for an app", metadata: ["error": "\(error)"])
            leave(app)
        }
    }

    /// An app has said hello; whether it is served.
    private func greeted(_ app: AppConnection, in epoch: Epoch) -> Bool {
        // Only for an epoch that some app is asked about: the places are kept for those who must answer.
        let acknowledges = app.endedEpoch.map { ended in
            state.withLock { $0.handover.isAskedAbout(ended) }
        }
        guard enter(acknowledges == true ? .acknowledging : .serving, app) else { return false }
        if app.wantsEvents { tell(.listenerArrived(epoch: epoch.description)) }
        return true
    }

    /// Gives an app a place, if need be that of another connection.
    private func enter(_ stage: ConnectionLimitReport.Stage, _ app: AppConnection) -> Bool {
        let (admission, displaced) = state.withLock { state in
            let connections = state.connections
            let admission = state.rooms.move(app, to: stage) { connections[$0]?.use ?? .init(isIdle: true, last: 0) }
            guard case .displacing(let other, _) = admission else { return (admission, AppConnection?.none) }
            return (admission, connections[other])
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

    private func leave(_ app: AppConnection) {
        app.end()
        state.withLock { state in
            state.rooms.leave(app)
            state.connections[ObjectIdentifier(app)] = nil
        }
    }

    /// Tells the supervisor who has as many connections as one may have.
    private func report(
        _ limit: ConnectionLimitReport.Limit, _ stage: ConnectionLimitReport.Stage, of process: AppProcess
    ) { report(limit, stage, of: process, held: state.withLock { $0.rooms.count(limit, of: process, in: stage) }) }

    private func report(
        _ limit: ConnectionLimitReport.Limit, _ stage: ConnectionLimitReport.Stage, of process: AppProcess, held: Int
    ) {
        let time = now()
        let due = state.withLock { state in
            state.limitReports.note(
                ConnectionLimitReport(limit, stage, of: process, held: held, at: time), pause: Self.reportPause)
        }
        if let due { tell(.limitReached(due)) }
    }
}
