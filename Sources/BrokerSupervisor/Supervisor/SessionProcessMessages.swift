// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceSettings
internal import Logging
internal import SessionIPC
internal import UnixSocket

/// Passes each message from the session process to the part that handles it.
final class SessionProcessMessages {
    private let session: SessionCoordinator
    private let rules: SessionRules
    private let erasers: AppErasers
    private let processes: AppProcesses
    private let agent: ConnectedAgent
    private let wait: AgentWait
    private let browser: BrowserSupervision
    private let device: ConfiguredDevice
    private let join: JoinFlow
    private let serverSessions: ServerSessions
    private let tombstones: TombstoneStore
    private let facts: ReceiptFacts
    private let requestedEnd: RequestedEnd
    private let sessionTimer: PersistedSessionTimer
    private let sessionProcess: SessionProcess
    private let leases: OfflineLeaseCount
    private let pin: PINRequest
    private let updates: DeviceUpdates
    private let counter: DeviceCounter
    private let doctor: Doctor
    private let limits: LimitLog
    private let askDirectory: @Sendable () -> Void
    private let logger: Logger

    init(
        session: SessionCoordinator, rules: SessionRules, erasers: AppErasers, processes: AppProcesses,
        agent: ConnectedAgent, wait: AgentWait, browser: BrowserSupervision, device: ConfiguredDevice, join: JoinFlow,
        serverSessions: ServerSessions, tombstones: TombstoneStore, facts: ReceiptFacts, requestedEnd: RequestedEnd,
        sessionTimer: PersistedSessionTimer, sessionProcess: SessionProcess, leases: OfflineLeaseCount, pin: PINRequest,
        updates: DeviceUpdates, counter: DeviceCounter, doctor: Doctor, limits: LimitLog,
        askDirectory: @escaping @Sendable () -> Void, logger: Logger
    ) {
        (self.session, self.rules, self.erasers, self.processes) = (session, rules, erasers, processes)
        (self.agent, self.wait, self.browser, self.device, self.join) = (agent, wait, browser, device, join)
        (self.serverSessions, self.tombstones, self.facts) = (serverSessions, tombstones, facts)
        (self.requestedEnd, self.sessionTimer, self.sessionProcess) = (requestedEnd, sessionTimer, sessionProcess)
        (self.leases, self.pin, self.updates, self.counter) = (leases, pin, updates, counter)
        (self.doctor, self.limits, self.askDirectory, self.logger) = (doctor, limits, askDirectory, logger)
    }

    /// Handles a message from the current process.
    func take(_ message: SessionProcessMessage, _ descriptors: [Descriptor]) throws {
        switch message {
        case .deviceKnown(let change): updates.known(change)
        case .signInRequested(let requestID):
            try session.signInRequested(.init(number: requestID, purpose: .worker))
        case .browserWanted(let url, let pages):
            if agent.link == nil { wait.keep(url, pages) } else { try session.signInPageWanted(url, pages) }
        case .pageOver:
            // Drop a page that waits for an agent, so that it does not open any more.
            _ = wait.takePage()
            browser.endSignIn(in: session.state)
        case .sessionKnown(let known):
            try serverSessions.keep(live: known)
            // If the worker signed in offline, the live session gets its server id only now.
            session.report()
        case .signedInOffline(let subject): try facts.receive(offline: subject)
        case .leaseEnds(let end, let epoch): sessionTimer.note(offlineEnd: end, of: epoch)
        case .leaseOver(let epoch): try session.end(epoch, by: .offlineLease)
        case .pinSettled(let failure): pin.settle(failure)
        case .leasesCounted(let count): leases.note(count)
        case .receiptSubject(let subject): try facts.receive(subject: subject)
        case .tokenWanted(let time):
            try facts.receive(tokenUntil: time)
            sessionProcess.tell(.tokenNoted(until: time))
        case .signInSucceeded:
            try rules.endUnlessShared()
            try session.signInSucceeded()
        case .signInFailed(let failure):
            // If this was the sign-in of a join, its operator is told why it failed.
            join.fail(failure)
            try session.signInFailed()
        case .storeTombstones(let reader, let told): try store(told, of: reader)
        case .endWanted(let requestID, let fromBrowser, let correlationID, let inBrowser):
            try serverSessions.noteEnd(fromBrowser: fromBrowser, correlationID: correlationID)
            if let app = descriptors.first { try signOut(app, requestID: requestID, inBrowser: inBrowser) }
        case .joined(let record): try joined(record)
        case .listenerArrived(let epoch): try session.listenerArrived(epoch)
        case .appsReady(let epoch): try session.waitOver(in: epoch)
        case .unsavedWork(let apps, let epoch):
            if requestedEnd.report(apps, in: epoch) { try session.waitOver(in: epoch) }
        case .dataHolderArrived(let app, let process, let epoch, let requestID):
            let accepted = try erasers.note(app, process, in: epoch)
            sessionProcess.tell(.appSettled(requestID: requestID, accepted: accepted))
        case .eraserEnlisted(let eraser, let process, let epoch, let requestID):
            sessionProcess.tell(try erasers.enlist(eraser, process, in: epoch).answer(to: requestID))
        case .eraserAnswered(let eraser, let process, let ended, let result, let requestID):
            let accepted = try erasers.answered(eraser, process, hasErased: result == .done, of: ended)
            sessionProcess.tell(.appSettled(requestID: requestID, accepted: accepted))
        case .pageWanted(let address, let epoch, let requestID):
            try session.pageWanted(address, in: epoch, for: requestID)
        case .activity(let epoch): try rules.activity(in: epoch)
        case .serverSessionEnded(let ended): try serverSessions.notified(of: ended)
        case .refused(let record, let before): doctor.note(record, before: before)
        case .counted(let counts): counter.add(counts, isPresent: true)
        case .limitReached(let report): limits.note(report)
        case .deviceRefused: askDirectory()
        // Already handled by the reader thread.
        case .connectionTaken: break
        }
    }

    /// Handles a late message from a process that has been killed. If the server has opened a session, the end of that
    /// session must be reported.
    func takeLate(_ message: SessionProcessMessage) throws {
        if case .dataHolderArrived(let app, let process, _, _) = message { try processes.noteLate(process, of: app) }
        if case .counted(let counts) = message { counter.add(counts, isPresent: false) }
        guard case .sessionKnown(let known) = message, !serverSessions.ended.contains(known) else { return }
        try serverSessions.keep(end: known)
        updates.tell()
    }

    /// Stores the accounts that a reader is about to be told about. Does nothing for an app that is not registered on
    /// the device.
    private func store(_ told: [AccountTombstone], of reader: AccountReader) throws {
        if device.snapshot.apps.contains(where: { $0.clientID == reader.clientID }) {
            try tombstones.set(told, of: reader, live: session.epoch)
        }
        sessionProcess.tell(.tombstonesStored(reader))
    }

    /// Ends the session at an app's request. The app is answered on its own connection.
    private func signOut(_ app: Descriptor, requestID: String, inBrowser: Bool) throws {
        let caller = SignOutCaller(
            requestID: requestID, inBrowser: inBrowser,
            connection: FrameConnection(app, maximumFrame: Wire.maximumFrame),
            info: try? device.snapshot.info(), logger: logger)
        try session.end(by: .app, patience: SignOutCaller.patience, answer: caller.answer)
    }

    /// Stores the join, and ends the administrator's session before the operator is answered.
    private func joined(_ record: JoinRecord) throws {
        let answer = try join.complete(record)
        session.report()
        if let answer { try session.end(by: .operator) { _ in answer() } }
    }
}
