// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Dispatch
internal import Glibc
internal import JSON
internal import Logging
internal import Processes
internal import UnixSocket

/// What somebody who asked for the end of a session hears.
enum SignOutOutcome: Sendable {
    case ready
    /// Committed, and not finished in time.
    case goesOn
}

/// The session's process, as the supervisor holds it.
struct SessionChildLink {
    let number: UInt64
    let process: ChildProcess
    let channel: FramedJSON<ChildMessage, SupervisorMessage>
    let started: ContinuousClock.Instant
}

extension Supervisor {
    func startChild(_ epoch: Epoch, resuming: Bool) throws {
        endChild()
        dueChild = nil
        let (ours, theirs) = try Connection.pair(maximumFrame: Wire.sessionLimits.bytes)
        try ours.descriptor.setSendTimeout(milliseconds: Self.sendPatience)
        childNumber += 1
        let process = try ChildProcess.spawn(
            executable: executable, name: "batond",
            arguments: ["session", "--log-level", logger.logLevel.rawValue], environment: Failpoint.environment,
            descriptors: [(theirs.descriptor, as: SessionChild.controlDescriptor)])
        let link = SessionChildLink(
            number: childNumber, process: process, channel: FramedJSON(ours, limits: Wire.sessionLimits),
            started: clock.moment())
        child = link
        let key = resuming ? key.map { [$0.file] } ?? [] : []
        let start = SupervisorMessage.start(
            configuration: configuration, epoch: epoch.description, resuming: resuming, device: snapshot,
            principals: principals, askedApps: askedApps, locks: locks)
        do { try link.channel.send(start, descriptors: key) } catch let error as SocketError
            where error.errno != EMSGSIZE
        {
            // It has died already, or does not listen: its reader thread is about to say that it is gone.
            process.kill()
        }
        try listen(to: link)
    }

    /// Starts a process in the place of one that died while nobody's epoch was served. During a pause the end of an app's
    /// connection tells it that nobody can say who is signed in.
    func restartChild(_ epoch: Epoch) throws {
        let pause = restartPause.next(after: lastLife)
        guard pause > .zero else { return try startChild(epoch, resuming: false) }
        logger.error("session processes die, pausing", metadata: ["pause": "\(pause)"])
        starts += 1
        dueChild = (starts, epoch)
        post(.childDue(start: starts), after: pause)
    }

    func startDueChild() throws {
        guard let dueChild else { return }
        try startChild(dueChild.epoch, resuming: false)
    }

    private func listen(to link: SessionChildLink) throws {
        let (inputs, number, channel, process) = (inputs, link.number, link.channel, link.process)
        try BlockingThread.start {
            // The channel ends when the process does, however it does.
            while let (message, descriptors) = try? channel.receive() {
                inputs.post(.childSaid(message, descriptors, child: number))
            }
            process.kill()
            inputs.post(.childEnded(child: number))
        }
    }

    /// Kills the session's process and waits until the kernel says that it is gone.
    func endChild() {
        // What this process asked for is nobody's wish any more.
        (waitingPage, agentWait) = (nil, nil)
        guard let link = child else { return }
        child = nil
        // Whatever it knew, nobody is served by it any more.
        deviceKnown(change: deviceChange)
        link.process.kill()
        link.channel.connection.shutDown()
        do {
            let status = try link.process.waitForExit()
            logger.debug("session process ended", metadata: ["process.status": "\(status)"])
        } catch { logger.error("session process was not reaped", metadata: ["error": "\(error)"]) }
    }

    func childEnded() throws {
        lastLife = child.map { $0.started.duration(to: clock.moment()) } ?? .zero
        endChild()
        try adoptConfirmedJoin()
        failJoin(
            OperatorFailure(
                code: "session_process_died", message: "The process that served the sign-in ended.",
                remedy: "Try again; if it happens again, look at the broker's log."))
        try handle(.childDied)
    }

    /// Milliseconds that a session's process may leave what it is told unread: this thread waits so long, and then
    /// nobody could be signed out any more.
    private static let sendPatience: Int32 = 2000

    /// Sends to the session's process; one that does not listen is ended, as its reader thread says in a moment.
    func tell(_ message: SupervisorMessage, descriptors: [Descriptor] = []) {
        do { try child?.channel.send(message, descriptors: descriptors) } catch {
            logger.error("session process does not listen", metadata: ["error": "\(error)"])
            child?.process.kill()
        }
    }

    func forward(_ descriptor: Descriptor, from peer: PeerRecord) {
        tell(.connection(peer), descriptors: [descriptor])
    }

    func admit(_ ticket: SessionMachine.Ticket, _ epoch: Epoch) throws {
        switch (ticket.purpose, key, joining?.order) {
        case (.worker, let key?, _):
            tell(.admit(ticket: ticket.number, epoch: epoch.description), descriptors: [key.file])
        case (.administrator, _, let order?): tell(.join(order))
        case (.worker, nil, _), (.administrator, _, nil):
            // Nobody is left who could go on with this visit.
            try handle(.visitFailed)
        }
    }

    func refuse(_ ticket: SessionMachine.Ticket, _ refusal: SessionMachine.Refusal) {
        switch ticket.purpose {
        case .worker: tell(.refuse(ticket: ticket.number, refusal))
        case .administrator:
            failJoin(refusal.joinFailure)
        }
    }

    func childSaid(_ message: ChildMessage, _ descriptors: [Descriptor]) throws {
        switch message {
        case .deviceKnown(let change): deviceKnown(change: change)
        case .visitWanted(let ticket):
            try handle(.visitWanted(.init(number: ticket, purpose: .worker)))
            awaitAgentOfLastWorker()
        case .browserWanted(let url): try browserWanted(url)
        case .sessionKnown(let session):
            try remember(session)
            // Where the worker was here already, without the server.
            tellWatch()
        case .signedInOffline(let subject): try receipts.hear(offline: subject)
        case .leaseOver(let epoch): if let epoch = Epoch(epoch) { try serverEnded(epoch, .offlineLease) }
        case .receiptSubject(let subject): try receipts.hear(subject: subject)
        case .tokenWanted(let time):
            try receipts.hear(tokenUntil: time)
            tell(.tokenNoted(until: time))
        case .visitSucceeded:
            try endUnlessShared()
            try handle(.visitSucceeded)
        case .visitFailed(let failure):
            failJoin(failure)
            try handle(.visitFailed)
        case .storePrincipals(let reader, let told):
            try store(told, of: reader)
            tell(.principalsStored(reader))
        case .endWanted(let requestID, let fromBrowser, let correlationID):
            try noteEnd(fromBrowser: fromBrowser, correlationID: correlationID)
            try endWanted(requestID: requestID, app: descriptors.first)
        case .joined(let record): try joined(record)
        case .listenerArrived, .appsReady, .appEnlisted, .appAnswered, .activity: try appSaid(message)
        case .serverSessionEnded(let session):
            endedSessions.removeAll { $0 == session }
            try files.write(endedSessions)
        case .refused(let record, let before):
            refusals.add(record)
            refusals.unlisted += before
        }
    }

    /// A session that the server opened must be ended there, also where its process has been killed meanwhile.
    func heardTooLate(_ message: ChildMessage) throws {
        guard case .sessionKnown(let session) = message, !endedSessions.contains(session) else { return }
        try rememberEnd(session)
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
            // An app that does not take its answer must not hold up this thread.
            DispatchQueue.global().async {
                do { try connection.write(reply.bytes) } catch {
                    logger.debug("the app that signed out is gone", metadata: ["error": "\(error)"])
                }
                connection.shutDown()
            }
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
        guard var live = liveSession else { return }
        live.fromBrowser = live.fromBrowser || fromBrowser
        live.correlationID = correlationID ?? live.correlationID
        try remember(live)
    }

    /// The server has opened a session, or what must be said of its end has changed.
    private func remember(_ session: EndedSession) throws {
        try files.write(live: session)
        liveSession = session
        Failpoint.sessionKnown.reach()
    }

    func newRequester(_ answer: @escaping (SignOutOutcome) -> Void) -> SessionMachine.Requester {
        requesterNumber += 1
        let requester = SessionMachine.Requester(number: requesterNumber)
        requesters[requester] = answer
        return requester
    }

    func answer(_ waiting: [SessionMachine.Requester]) {
        for requester in waiting { requesters.removeValue(forKey: requester)?(.ready) }
    }

    /// What the session's process must know of the device now.
    var snapshot: DeviceSnapshot {
        let managed = device.settings
        let mode = DeviceMode(
            .init(
                brokerManaged: managed.brokerManaged, profile: managed.profileShared,
                appConfiguration: managed.appConfigurationShared, joined: join != nil))
        return DeviceSnapshot(mode: mode, join: join, registry: registry, endedSessions: endedSessions)
    }

    /// The MDM changed the device; a worker whose device is no longer shared is signed out.
    func deviceChanged() throws {
        readRegistry()
        readDoors()
        tellDevice()
        try endUnlessShared()
    }

    private func tellDevice() {
        deviceChange += 1
        tell(.device(snapshot, change: deviceChange))
    }

    /// A device that is not shared (any more) has no worker.
    private func endUnlessShared() throws {
        switch machine.state {
        case .signedIn, .ending: break
        case .visiting(_, let ticket) where ticket.purpose == .worker: break
        case .visiting, .ready, .signingOut: return
        }
        guard snapshot.mode != .shared else { return try followDoors() }
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
