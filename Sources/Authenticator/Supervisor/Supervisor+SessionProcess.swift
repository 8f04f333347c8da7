// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import Processes
internal import UnixSocket

/// What somebody who asked for the end of a session hears.
enum SignOutOutcome: Sendable {
    case ready
    /// Committed, and not finished in time.
    case goesOn
}

extension Supervisor {
    func startSessionProcess(_ epoch: Epoch, resuming: Bool) throws {
        try endSessionProcess()
        let first = SupervisorMessage.start(
            configuration: configuration, epoch: epoch, resuming: resuming, device: snapshot,
            tombstones: tombstones.told, askedApps: askedApps, locks: locks)
        try sessionProcess.start(first, key: resuming ? key?.file : nil)
    }

    /// Starts a process in the place of one that died while nobody's epoch was served. During a pause the end of an app's
    /// connection tells it that nobody can say who is signed in.
    func restartSessionProcess(_ epoch: Epoch) throws {
        if !sessionProcess.putsOff(epoch) { try startSessionProcess(epoch, resuming: false) }
    }

    func startDueSessionProcess(_ start: UInt64) throws {
        if let epoch = sessionProcess.epochDue(at: start) { try startSessionProcess(epoch, resuming: false) }
    }

    func endSessionProcess() throws {
        // What this process asked for is nobody's wish any more, and whatever it knew, nobody is served by it.
        (waitingPage, agentWait, leaseCount) = (nil, nil, nil)
        settlePIN(.pinInterrupted)
        try sessionProcess.end()
        deviceKnown(change: deviceChange)
    }

    func sessionProcessEnded() throws {
        try endSessionProcess()
        try adoptConfirmedJoin()
        failJoin(
            OperatorFailure(
                code: "session_process_died", message: "The process that served the sign-in ended.",
                remedy: "Try again; if it happens again, look at the broker's log."))
        try handle(.sessionProcessDied)
    }

    func tell(_ message: SupervisorMessage, descriptors: [Descriptor] = []) {
        sessionProcess.tell(message, descriptors: descriptors)
    }

    /// Passes one app's connection on; the rest waits, so that everything else has its turn.
    func forwardNextApp() {
        guard let (descriptor, peer) = listeners.waiting.next() else { return }
        tell(.connection(peer), descriptors: [descriptor])
    }

    func admit(_ requestID: SessionMachine.SignInRequestID, _ epoch: Epoch) throws {
        switch (requestID.purpose, key, joining?.order) {
        case (.worker, let key?, _):
            tell(.admit(requestID: requestID.number, epoch: epoch), descriptors: [key.file])
        case (.administrator, _, let order?): tell(.join(order))
        case (.worker, nil, _), (.administrator, _, nil):
            // Nobody is left who could go on with this sign-in.
            try handle(.signInFailed)
        }
    }

    func refuse(_ refused: SessionMachine.RefusedSignIn) {
        switch refused.requestID.purpose {
        case .worker: tell(.refuse(requestID: refused.requestID.number, refused.refusal))
        case .administrator: failJoin(refused.refusal.joinFailure)
        }
    }

    func sessionProcessSent(_ message: SessionProcessMessage, _ descriptors: [Descriptor]) throws {
        switch message {
        case .deviceKnown(let change): deviceKnown(change: change)
        case .signInRequested(let requestID):
            try handle(.signInRequested(.init(number: requestID, purpose: .worker)))
            awaitAgentOfLastWorker()
        case .browserWanted(let url): try browserWanted(url)
        case .sessionKnown(let session):
            try serverSessions.keep(live: session)
            // Where the worker was here already, without the server.
            tellWatch()
        case .signedInOffline(let subject): try receipts.hear(offline: subject)
        case .leaseOver(let epoch): try serverEnded(epoch, .offlineLease)
        case .pinSettled(let failure): settlePIN(failure)
        case .leasesCounted(let count):
            guard count != leaseCount else { break }
            leaseCount = count
            logger.info(
                "leases for signing in without the server",
                metadata: ["leases": "\(count.leases)", "leases.pins": "\(count.pins)"])
        case .receiptSubject(let subject): try receipts.hear(subject: subject)
        case .tokenWanted(let time):
            try receipts.hear(tokenUntil: time)
            tell(.tokenNoted(until: time))
        case .signInSucceeded:
            try endUnlessShared()
            try handle(.signInSucceeded)
        case .signInFailed(let failure):
            failJoin(failure)
            try handle(.signInFailed)
        case .storeTombstones(let reader, let told):
            // Of an app that the device does not know nothing is kept.
            if snapshot.apps.contains(where: { $0.clientID == reader.clientID }) {
                try tombstones.set(told, of: reader, live: machine.epoch)
            }
            tell(.tombstonesStored(reader))
        case .endWanted(let requestID, let fromBrowser, let correlationID):
            try noteEnd(fromBrowser: fromBrowser, correlationID: correlationID)
            try endWanted(requestID: requestID, app: descriptors.first)
        case .joined(let record): try joined(record)
        case .listenerArrived, .appsReady, .appEnlisted, .appAnswered, .activity: try appSaid(message)
        case .serverSessionEnded(let session): try serverSessions.heard(session)
        case .refused(let record, let before):
            refusals.add(record)
            refusals.unlisted += before
        case .limitReached(let report): listeners.limits.note(report)
        // Heard by the thread that reads.
        case .connectionTaken: break
        }
    }

    /// A session that the server opened must be ended there, also where its process has been killed meanwhile.
    func heardTooLate(_ message: SessionProcessMessage) throws {
        guard case .sessionKnown(let session) = message, !serverSessions.ended.contains(session) else { return }
        try serverSessions.keep(end: session)
        tellDevice()
    }

    /// An app asked: the answer goes out on its own connection, which then ends like every other of the epoch.
    private func endWanted(requestID: String, app: Descriptor?) throws {
        guard let app else { return }
        let connection = Connection(app, maximumFrame: Wire.maximumFrame)
        let info = try? snapshot.info()
        let requester = newRequester { [logger] outcome in
            let result: Result<FlatMap, BrokerError> =
                switch outcome {
                case .ready: .success(.response(to: .signOut, type: .generic, device: info))
                case .goesOn: .failure(.signOutGoesOn)
                }
            let reply = BrokerMessage.reply(Reply(requestID: requestID, outcome: result))
            // An app that does not take its answer must not hold up this thread, nor the pool on which timers run.
            do {
                try BlockingThread.start {
                    do { try connection.write(reply.bytes) } catch {
                        logger.debug("the app that signed out is gone", metadata: ["error": "\(error)"])
                    }
                    connection.shutDown()
                }
            } catch { logger.error("no thread for an answer", metadata: ["error": "\(error)"]) }
        }
        post(.overdue(requester), after: Self.signOutPatience)
        try handle(.endWanted(requester, .app))
    }

    /// For an app's sign-out, before the app hears that it goes on: a person looks at a screen.
    private static let signOutPatience = Duration.seconds(10)

    /// The end is committed and goes on; who asked for it has waited long enough.
    func overdue(_ requester: SessionMachine.Requester) {
        requesters.removeValue(forKey: requester)?(.goesOn)
    }

    /// Writes down what the server is to hear with the end of the session that is live.
    func noteEnd(fromBrowser: Bool, correlationID: String? = nil) throws {
        guard var live = serverSessions.live else { return }
        live.fromBrowser = live.fromBrowser || fromBrowser
        live.correlationID = correlationID ?? live.correlationID
        try serverSessions.keep(live: live)
    }

    func newRequester(_ answer: @escaping (SignOutOutcome) -> Void) -> SessionMachine.Requester {
        requesterNumber += 1
        let requester = SessionMachine.Requester(number: requesterNumber)
        requesters[requester] = answer
        return requester
    }

    func answer(_ waiting: [SessionMachine.Requester]) {
        for requester in waiting { requesters.removeValue(forKey: requester)?(.ready) }
        Failpoint.answered.reach()
    }

    /// What the session process must know of the device now.
    var snapshot: DeviceSnapshot {
        let managed = device.settings
        let mode = DeviceMode(
            .init(
                brokerManaged: managed.brokerManaged, profile: managed.profileShared,
                appConfiguration: managed.appConfigurationShared, joined: join != nil))
        return DeviceSnapshot(mode: mode, join: join, registry: registry, endedSessions: serverSessions.ended)
    }

    /// The MDM changed the device; a worker whose device is no longer shared is signed out.
    func deviceChanged() throws {
        readDevice()
        try endUnlessShared()
    }

    /// What was changed outside holds here from now on, and a moment later where apps are served.
    func readDevice() {
        readRegistry()
        readSessionPolicy()
        tellDevice()
    }

    private func tellDevice() {
        deviceChange += 1
        tell(.device(snapshot, change: deviceChange))
    }

    /// A device that is not shared (any more) has no worker.
    func endUnlessShared() throws {
        switch machine.state {
        case .signedIn, .ending: break
        case .signingIn(_, let requestID) where requestID.purpose == .worker: break
        case .signingIn, .ready, .signingOut: return
        }
        guard snapshot.mode != .shared else { return try applySessionPolicy() }
        try handle(.endWanted(newRequester { _ in }, .management))
    }
}

extension BrokerError {
    /// An app's sign-out that takes longer than the app should wait.
    static let signOutGoesOn = BrokerError(
        .unfinished,
        "The sign-out is committed and goes on: nobody is signed in, but the device is not ready for the next worker yet."
            + " Do not sign out again; look at baton device status if it stays so.")
}
