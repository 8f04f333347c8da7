// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceSettings
internal import Glibc
internal import Logging
internal import Processes
internal import SessionIPC
internal import Synchronization
internal import UnixSocket

/// The broker's sockets for apps, agents, operators and readers of the device's state. The broker asks the kernel only
/// once which process has connected: when it accepts the connection.
struct BrokerSockets: Sendable {
    private let apps: Listener
    private let agents: Listener
    private let operators: Listener
    private let statusReaders: Listener
    private let listeners: AppListeners
    private let inputs: Mailbox<SupervisorInput>
    private let users: Set<UInt32>
    private let operatorUsers: Set<UInt32>
    private let agentLimiter = ControlConnectionLimiter(perUser: 4, total: 16)
    private let operatorLimiter = ControlConnectionLimiter(perUser: 8, total: 16)
    private let logger: Logger
    private let refusals = LineMeter()
    /// Numbers every link of the whole process, so that a link of a closed socket is never mistaken for a link of a
    /// later socket.
    private static let links = Counter()

    /// The time limit for an agent's hello, and for the next request on an operator's connection that has no open
    /// requests.
    private let helloPatience: Duration
    /// Milliseconds that an agent or operator may leave messages unread; the supervisor's thread blocks for at most
    /// that long.
    private static let sendPatience: Int32 = 1000
    /// Microseconds between attempts while no connection can be accepted.
    private static let acceptPause: UInt32 = 100_000
    /// The maximum number of messages from one agent or one operator that may be queued for the supervisor.
    private static let maximumPending = 4
    /// The maximum number of unanswered requests on one operator's connection.
    private static let maximumOpen = 8

    init(
        configuration: SupervisorConfiguration, inheritedState: InheritedState, listeners: AppListeners,
        ownUser: UInt32, inputs: Mailbox<SupervisorInput>, helloPatience: Duration, logger: Logger
    ) throws {
        users = Set(configuration.sessionUsers).union([ownUser, 0])
        operatorUsers = [ownUser, 0]
        // Apps of other users must be able to connect. Who is served depends on the peer's identity, which the kernel
        // reports, and not on the file's mode.
        let mode: UInt32 = configuration.sessionUsers.isEmpty ? 0o600 : 0o666
        apps = try inheritedState.listener(.broker, path: configuration.brokerSocket, mode: mode)
        agents = try inheritedState.listener(.agent, path: configuration.agentSocket, mode: mode)
        operators = try inheritedState.listener(.control, path: configuration.operatorSocket, mode: 0o600)
        statusReaders = try inheritedState.listener(.status, path: configuration.statusSocket, mode: mode)
        self.listeners = listeners
        self.inputs = inputs
        self.helloPatience = helloPatience
        self.logger = logger
    }

    /// Starts to accept connections.
    func open() throws {
        try serve(
            apps, reserve: Self.appReserve, recognise: { listeners.identity(of: $0) }, admit: appConnected)
        try listeners.open { [self] listener, bundleID in
            try serve(
                listener, reserve: Self.appReserve, recognise: { _ in listeners.identity(throughSocketOf: bundleID) },
                admit: appConnected)
        }
        try serve(agents, reserve: Self.reserve, recognise: one(of: users)) { descriptor, peer, _ in
            try serve(peer, in: agentLimiter) { try agentReader(descriptor, peer) }
        }
        try serve(operators, reserve: Self.reserve, recognise: one(of: operatorUsers)) { descriptor, peer, _ in
            try serve(peer, in: operatorLimiter) { try operatorReader(descriptor) }
        }
        let statusIntake = inputs.intake(capacity: Self.maximumPending)
        try serve(statusReaders, reserve: Self.appReserve, recognise: one(of: users)) { descriptor, peer, _ in
            statusIntake.post(.statusReader(descriptor, user: peer.uid))
        }
    }

    func close() {
        for listener in [apps, agents, operators, statusReaders] { listener.close() }
        listeners.close()
    }

    /// Determines an app's identity once, from the socket that the app connected to and from the kernel's record at the
    /// time of the connection. The process id may have been reused since then; the id is passed on only if the process
    /// that connected still exists.
    private func appConnected(_ descriptor: Descriptor, from peer: Peer, as identity: AppIdentity) {
        // A peer that connects and closes must not cause work for the session process.
        guard !descriptor.isEnded else { return }
        let refined = listeners.refined(identity, peer)
        let name = (try? ProcessTable.entry(peer.pid))?.name
        // Check this last: if the process still exists, everything that was read under its id is about this process.
        let hasEnded = descriptor.peerLives() == false
        let record = PeerRecord(
            pid: hasEnded ? 0 : peer.pid, uid: peer.uid, identity: hasEnded ? identity : refined,
            name: hasEnded ? nil : name)
        guard let (limit, held) = listeners.waiting.offer(descriptor, record) else { return }
        listeners.limits.note(limit, .waiting, of: record.process, held: held)
    }

    /// The number of file descriptors that connections may not use, so that the broker can always write its state and
    /// start the session process. Connections of apps must leave even more descriptors free, for operators and agents.
    private static let reserve: Int32 = 48
    private static let appReserve: Int32 = 96

    private func one(of users: Set<UInt32>) -> @Sendable (Peer) -> Void? {
        { users.contains($0.uid) ? () : nil }
    }

    /// Accepts connections until the socket closes; `recognise` returns nil for a peer that may not use this socket.
    private func serve<Who>(
        _ listener: Listener, reserve: Int32, recognise: @escaping @Sendable (Peer) -> Who?,
        admit: @escaping @Sendable (Descriptor, Peer, Who) throws -> Void
    ) throws {
        // The kernel assigns the lowest free descriptor, so a descriptor at the ceiling means that only the reserve is
        // left.
        let ceiling = Int32(clamping: OpenFileLimit.current) - reserve
        try BlockingThread.start {
            while let descriptor = accept(on: listener) {
                guard descriptor.withNumber({ $0 }) < ceiling else {
                    say("no file descriptors are left for connections", at: .warning, [:])
                    usleep(Self.acceptPause)
                    continue
                }
                do {
                    let peer = try descriptor.peer()
                    guard let who = recognise(peer) else {
                        say("connection of another user refused", at: .notice, ["peer.uid": "\(peer.uid)"])
                        continue
                    }
                    try admit(descriptor, peer, who)
                } catch { say("connection lost at accept", at: .warning, ["error": "\(error)"]) }
            }
        }
    }

    /// Logs an event that any process can cause at will. Logs each text at most once a minute, with the number of
    /// repetitions.
    private func say(_ text: Logger.Message, at level: Logger.Level, _ metadata: Logger.Metadata) {
        guard let before = refusals.admits("\(text)") else { return }
        let count: Logger.Metadata = before > 0 ? ["repeated": "\(before)"] : [:]
        logger.log(level: level, text, metadata: metadata.merging(count) { own, _ in own })
    }

    /// Returns the next connection; nil once the socket is closed. Tries again if a connection breaks before it is
    /// accepted, or while no descriptor is free.
    private func accept(on listener: Listener) -> Descriptor? {
        while true {
            do throws(SocketError) { return try listener.accept() } catch {
                guard !error.meansClosed else { return nil }
                say("accept failed", at: .warning, ["error": "\(error)"])
                usleep(Self.acceptPause)
            }
        }
    }

    /// If one more connection of this user is allowed, calls `prepare` and runs the returned closure on a new thread.
    private func serve(_ peer: Peer, in limiter: ControlConnectionLimiter, _ prepare: () throws -> @Sendable () -> Void)
        throws
    {
        guard limiter.take(peer.uid) else {
            say("too many connections of one user, or in total", at: .notice, ["peer.uid": "\(peer.uid)"])
            return
        }
        do {
            let body = try prepare()
            try BlockingThread.start {
                defer { limiter.leave(peer.uid) }
                body()
            }
        } catch {
            limiter.leave(peer.uid)
            throw error
        }
    }

    private func agentReader(_ descriptor: Descriptor, _ peer: Peer) throws -> @Sendable () -> Void {
        try descriptor.setReceiveTimeout(milliseconds: Int32(helloPatience / .milliseconds(1)))
        try descriptor.setSendTimeout(milliseconds: Self.sendPatience)
        let channel = FramedJSON<AgentMessage, AgentOrder>(descriptor, limits: Wire.agentLimits)
        let link = AgentLink(
            id: Self.links.next(), user: peer.uid, process: try descriptor.peerProcess(), channel: channel,
            logger: logger)
        return {
            guard let first = try? channel.receive().message, case .hello(AgentMessage.version) = first else {
                say(
                    "a connection does not come from an agent of this version", at: .notice, ["peer.uid": "\(peer.uid)"]
                )
                return
            }
            // The socket is connected: this fails only if the connection has ended.
            try? descriptor.setReceiveTimeout(milliseconds: 0)
            let intake = inputs.intake(capacity: Self.maximumPending)
            intake.post(.agentConnected(link))
            while let message = try? channel.receive().message { intake.post(.agentSaid(link.id, message)) }
            inputs.post(.agentLost(link.id))
        }
    }

    private func operatorReader(_ descriptor: Descriptor) throws -> @Sendable () -> Void {
        try descriptor.setSendTimeout(milliseconds: Self.sendPatience)
        let patience = Int32(helloPatience / .milliseconds(1))
        try descriptor.setReceiveTimeout(milliseconds: patience)
        let channel = FramedJSON<OperatorRequest, OperatorReply>(descriptor, limits: Wire.operatorLimits)
        let logger = logger
        return {
            let intake = inputs.intake(capacity: Self.maximumPending)
            let id = Self.links.next()
            defer { inputs.post(.operatorGone(connection: id)) }
            let open = Mutex(0)
            // The connection of a peer that neither sends a request nor waits for an answer is ended.
            func asksInTime() -> Bool {
                while !descriptor.isReadable(within: patience) { if open.withLock({ $0 == 0 }) { return false } }
                return true
            }
            while asksInTime(), let request = try? channel.receive().message {
                let isServed = open.withLock { open in
                    open += 1
                    return open <= Self.maximumOpen
                }
                guard isServed else { return }
                intake.post(
                    .operatorAsked(request, connection: id) { reply in
                        open.withLock { $0 -= 1 }
                        do { try channel.send(reply) } catch {
                            logger.debug("the operator's connection has ended", metadata: ["error": "\(error)"])
                            channel.connection.shutDown()
                        }
                    })
            }
        }
    }
}

/// A counter that any thread may advance.
private final class Counter: Sendable {
    private let value = Mutex<UInt64>(0)

    func next() -> UInt64 {
        value.withLock {
            $0 += 1
            return $0
        }
    }
}
