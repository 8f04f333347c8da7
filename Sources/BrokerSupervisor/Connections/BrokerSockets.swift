// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Glibc
internal import Logging
internal import Processes
internal import Synchronization
internal import UnixSocket

/// The broker's sockets: apps, agents, operators. Who connects is asked of the kernel, once, at accept.
struct BrokerSockets: Sendable {
    private let apps: Listener
    private let agents: Listener
    private let operators: Listener
    private let listeners: AppListeners
    private let inputs: Mailbox<SupervisorInput>
    private let users: Set<UInt32>
    private let operatorUsers: Set<UInt32>
    private let agentLimiter = ControlConnectionLimiter(perUser: 4, total: 16)
    private let operatorLimiter = ControlConnectionLimiter(perUser: 8, total: 16)
    private let logger: Logger
    private let refusals = LineMeter()
    /// One count for the process: a link of sockets that were closed is never taken for a later one.
    private static let links = Counter()

    /// For an agent's hello, and for the requests of an operator who waits for no answer.
    private let helloPatience: Duration
    /// Milliseconds that an agent or operator may leave what it is sent unread; the thread that decides waits so long.
    private static let sendPatience: Int32 = 1000
    /// Microseconds before the next attempt where no connection can be taken.
    private static let acceptPause: UInt32 = 100_000
    /// Messages of one agent, or one operator, that may wait for the supervisor.
    private static let maximumUnheard = 4
    /// Requests of one operator's connection without an answer yet.
    private static let maximumOpen = 8

    init(
        configuration: SupervisorConfiguration, inheritedState: InheritedState, listeners: AppListeners,
        ownUser: UInt32, inputs: Mailbox<SupervisorInput>, helloPatience: Duration, logger: Logger
    ) throws {
        users = Set(configuration.sessionUsers).union([ownUser, 0])
        operatorUsers = [ownUser, 0]
        // Another user's apps must be able to knock; the kernel's word on who they are decides, not the file's mode.
        let mode: UInt32 = configuration.sessionUsers.isEmpty ? 0o600 : 0o666
        apps = try inheritedState.listener(.broker, path: configuration.brokerSocket, mode: mode)
        agents = try inheritedState.listener(.agent, path: configuration.agentSocket, mode: mode)
        operators = try inheritedState.listener(.control, path: configuration.operatorSocket, mode: 0o600)
        self.listeners = listeners
        self.inputs = inputs
        self.helloPatience = helloPatience
        self.logger = logger
    }

    /// Begins to accept.
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
    }

    func close() {
        for listener in [apps, agents, operators] { listener.close() }
        listeners.close()
    }

    /// Who an app is, is settled here and never asked again: the kernel's word of when it connected, and which socket that
    /// was. A process number may be another's by now, and is told only where it is not.
    private func appConnected(_ descriptor: Descriptor, from peer: Peer, as identity: AppIdentity) {
        // One that connects and closes costs the session process nothing.
        guard !descriptor.isEnded else { return }
        let pid = descriptor.peerLives() == false ? 0 : peer.pid
        let record = PeerRecord(pid: pid, uid: peer.uid, identity: identity)
        guard let (limit, held) = listeners.waiting.offer(descriptor, record) else { return }
        listeners.limits.note(limit, .waiting, of: record.process, held: held)
    }

    /// Files that no connection takes, so that the state can be written and the session process be started whatever
    /// happens; apps leave some to operators and agents, too.
    private static let reserve: Int32 = 48
    private static let appReserve: Int32 = 96

    private func one(of users: Set<UInt32>) -> @Sendable (Peer) -> Void? {
        { users.contains($0.uid) ? () : nil }
    }

    /// Accepts without end; `recognise` says who somebody is, nil for one who has no business here.
    private func serve<Who>(
        _ listener: Listener, reserve: Int32, recognise: @escaping @Sendable (Peer) -> Who?,
        admit: @escaping @Sendable (Descriptor, Peer, Who) throws -> Void
    ) throws {
        // The kernel gives the lowest number that is free: one above the last but so many says that no more are left.
        let ceiling = Int32(clamping: OpenFileLimit.current) - reserve
        try BlockingThread.start {
            while let descriptor = accept(on: listener) {
                guard descriptor.withNumber({ $0 }) < ceiling else {
                    say("no files are left for connections", at: .warning, [:])
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

    /// Logs what anybody can make happen as often as they like: once a minute for each text, with a count.
    private func say(_ text: Logger.Message, at level: Logger.Level, _ metadata: Logger.Metadata) {
        guard let before = refusals.admits("\(text)") else { return }
        let count: Logger.Metadata = before > 0 ? ["repeated": "\(before)"] : [:]
        logger.log(level: level, text, metadata: metadata.merging(count) { own, _ in own })
    }

    /// The next connection; nil once the socket is closed. A connection that broke before it was accepted, or a process
    /// out of descriptors for a moment, is no reason to stop listening.
    private func accept(on listener: Listener) -> Descriptor? {
        while true {
            do throws(SocketError) { return try listener.accept() } catch {
                guard !error.meansClosed else { return nil }
                say("accept failed", at: .warning, ["error": "\(error)"])
                usleep(Self.acceptPause)
            }
        }
    }

    /// Runs what `prepare` gives on a thread of its own, where the socket has a place left for this user.
    private func serve(_ peer: Peer, in limiter: ControlConnectionLimiter, _ prepare: () throws -> @Sendable () -> Void)
        throws
    {
        guard limiter.take(peer.uid) else {
            say("too many connections of one user, or in all", at: .notice, ["peer.uid": "\(peer.uid)"])
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
                say("a connection of no agent of this version", at: .notice, ["peer.uid": "\(peer.uid)"])
                return
            }
            // The socket is connected: nothing but its end can make this fail.
            try? descriptor.setReceiveTimeout(milliseconds: 0)
            let intake = inputs.intake(capacity: Self.maximumUnheard)
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
            let intake = inputs.intake(capacity: Self.maximumUnheard)
            let id = Self.links.next()
            defer { inputs.post(.operatorGone(connection: id)) }
            let open = Mutex(0)
            // Whoever asks nothing, and waits for no answer, keeps no place from others.
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
                            logger.debug("the operator is gone", metadata: ["error": "\(error)"])
                            channel.connection.shutDown()
                        }
                    })
            }
        }
    }
}

/// Counts up, from any thread.
private final class Counter: Sendable {
    private let value = Mutex<UInt64>(0)

    func next() -> UInt64 {
        value.withLock {
            $0 += 1
            return $0
        }
    }
}
