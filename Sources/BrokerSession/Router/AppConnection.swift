// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import CLinux
internal import DeviceHTTPS
internal import DeviceSettings
internal import Glibc
internal import Logging
internal import Processes
internal import Redaction
internal import SessionIPC
internal import Synchronization
internal import UnixSocket

/// One app's connection. It begins with a hello, belongs to one epoch, and ends when that epoch ends.
///
/// One thread reads; any thread may send replies, under a lock. A message that violates the protocol closes this
/// connection and no other.
final class AppConnection: Sendable {
    let peer: PeerRecord
    private let connection: FrameConnection
    /// Ensures that only one message is written at a time.
    private let writing = Mutex<Void>(())
    private let state = Mutex(State())
    private let ledger: RequestLedger
    private let concurrency: ConcurrencyLimit
    private let violations: ViolationLog
    /// Called for requests and frames that exceed a limit.
    private let refused: @Sendable (ConnectionLimitReport.Limit, _ held: Int) -> Void

    private struct State {
        var hello: ClientHello?
        /// Whether a request was refused because its app is locked.
        var isLockedOut = false
        /// The number of requests without an answer.
        var open = 0
        /// When the connection began or its last request arrived, as the value of a counter that all connections share.
        var last = AppConnection.moments.add(1, ordering: .relaxed).newValue
        /// Called when the app cancels a request, by the request's id.
        var cancellations: [String: @Sendable () -> Void] = [:]
        /// Answers that were made by threads other than the connection's own, and were not sent yet.
        var outbox: [@Sendable () -> Void] = []
        /// Whether a thread is sending these answers.
        var isServed = false
    }

    /// Milliseconds that an app may leave its replies unread before its connection is closed.
    private static let sendPatience: Int32 = 2000
    /// Milliseconds to wait for the hello.
    private static let helloPatience: Int32 = 5000
    /// The time limit for receiving the rest of a message after its first bytes have arrived.
    private static let framePatience = Duration.seconds(5)

    /// The maximum number of open requests on one connection.
    private static let maximumOpen = 64

    init(
        _ descriptor: Descriptor, peer: PeerRecord, ledger: RequestLedger, concurrency: ConcurrencyLimit,
        violations: ViolationLog,
        refused: @escaping @Sendable (ConnectionLimitReport.Limit, _ held: Int) -> Void
    ) {
        self.peer = peer
        (self.ledger, self.concurrency, self.violations, self.refused) = (ledger, concurrency, violations, refused)
        connection = FrameConnection(descriptor, maximumFrame: Wire.maximumFrame, acceptsDescriptors: false)
    }

    var descriptor: Descriptor { connection.descriptor }
    /// The ended epoch that this connection may acknowledge; nil for a connection that serves the current epoch.
    var endedEpoch: Epoch? { state.withLock(\.hello)?.endedEpoch }
    /// Whether the app has sent its hello and asked for events.
    var wantsEvents: Bool { state.withLock(\.hello)?.wantsEvents ?? false }

    /// Whether a request on this connection was refused because its app is locked.
    var isLockedOut: Bool { state.withLock(\.isLockedOut) }
    func lockOut() { state.withLock { $0.isLockedOut = true } }

    /// Exchanges hellos and serves requests until either side ends the connection.
    ///
    /// - Parameter greeted: called after the app's hello and before the broker's hello; returns whether the app is
    ///   served.
    func serve(
        epoch: Epoch, logger: Logger, greeted: (AppConnection) -> Bool, answer: (Request, AppConnection) -> Void
    ) {
        defer { end() }
        do {
            try descriptor.setSendTimeout(milliseconds: Self.sendPatience)
            try descriptor.setReceiveTimeout(milliseconds: Self.helloPatience)
            guard case .hello(let hello) = try receive(), hello.transports.contains(Wire.transport) else {
                return violations.note(.noHello, of: peer)
            }
            state.withLock { $0.hello = hello }
            guard inTurn({ greeted(self) }) == true else { return }
            try send(
                .hello(
                    BrokerHello(
                        transport: Wire.transport, brokerVersion: BrokerVersion.current,
                        operations: hello.endedEpoch == nil ? Operation.all : [.acknowledge],
                        events: hello.endedEpoch == nil ? BrokerEvent.Name.all : [], epoch: epoch)))
            try descriptor.setReceiveTimeout(milliseconds: 0)
            while true {
                connection.awaitFrame()
                switch try receive() {
                case .hello: return violations.note(.secondHello, of: peer)
                case .request(let request):
                    // An app that does not read its answers must not hold a turn while the broker waits for that app.
                    guard isReading() else { return }
                    guard inTurn({ serve(request, answer) }) == true else { return }
                case .cancel(let id): state.withLock { $0.cancellations.removeValue(forKey: id) }?()
                }
            }
        } catch {
            if let violation = ViolationLog.Violation(error) {
                violations.note(state.withLock { $0.hello == nil } ? .noHello : violation, of: peer)
            }
            logger.debug("app connection ended", metadata: ["peer.pid": "\(peer.pid)", "reason": "\(error)"])
        }
    }

    /// Runs `body` when it is this connection's turn; returns nil if the connection ended first.
    private func inTurn<Value>(_ body: () throws -> Value) rethrows -> Value? {
        try concurrency.run(ObjectIdentifier(self), of: peer.process, body)
    }

    /// Answers a request, or starts the work that will answer it. Returns false if the app's open requests exceed a
    /// limit.
    private func serve(_ request: Request, _ answer: (Request, AppConnection) -> Void) -> Bool {
        guard admit(request) else { return false }
        answer(request, self)
        return true
    }

    /// Waits until there is room for an answer; returns false if the app does not read in time.
    private func isReading() -> Bool {
        // This is also true for a connection that the app has closed, so requests that the app sent before are still
        // served.
        descriptor.withNumber { readiness($0, within: Self.sendPatience) != 0 }
    }

    /// Whether the connection is idle, and when its last request came.
    var use: ConnectionTable<ObjectIdentifier>.Use {
        state.withLock { .init(isIdle: $0.open == 0, last: $0.last) }
    }

    private static let moments = Atomic<UInt64>(0)

    private func admit(_ request: Request) -> Bool {
        let size = RequestLedger.size(of: request)
        guard take(size) else { return false }
        let isAdmitted = state.withLock { state in
            guard state.open < Self.maximumOpen else { return false }
            state.open += 1
            state.last = Self.moments.add(1, ordering: .relaxed).newValue
            return true
        }
        if !isAdmitted { ledger.giveBack(size, for: peer.process) }
        return isAdmitted
    }

    private func take(_ size: Int) -> Bool {
        switch ledger.take(size, for: peer.process) {
        case .admitted: return true
        case .refused(let limit, let held):
            refused(limit, held)
            return false
        }
    }

    /// Whether a frame of this length is accepted. Long frames are accepted only from apps that are served.
    private func takesFrames(of bytes: Int) -> Bool {
        bytes <= RequestLedger.longFrame || state.withLock { $0.hello != nil && $0.hello?.endedEpoch == nil }
    }

    private func receive() throws -> ClientMessage {
        var size = 0
        defer { ledger.giveBack(size, for: peer.process) }
        let frame = try connection.read(patience: Self.framePatience) { count in
            let wanted = RequestLedger.size(ofFrame: count)
            guard takesFrames(of: count), take(wanted) else { return false }
            size = wanted
            return true
        }
        var bytes = frame.body.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
        defer { wipe(&bytes) }
        guard let message = try inTurn({ try ClientMessage(bytes: bytes) }) else {
            throw FrameConnection.ReadFailure.ended
        }
        return message
    }

    private func send(_ message: BrokerMessage) throws {
        var bytes = message.bytes
        defer { wipe(&bytes) }
        try writing.withLock { _ in try connection.write(bytes) }
    }

    /// Sends the one reply to a request. Ends the connection if the app does not read the reply.
    func reply(to request: Request, _ outcome: Result<FlatMap, BrokerError>) {
        state.withLock { state in
            state.cancellations[request.id] = nil
            state.open -= 1
        }
        ledger.giveBack(RequestLedger.size(of: request), for: peer.process)
        do { try send(.reply(Reply(requestID: request.id, outcome: outcome))) } catch { end() }
    }

    /// Runs `answer` on a thread used only by this connection, so that an app that does not read its answers delays no
    /// other app.
    func answerLater(_ answer: @escaping @Sendable () -> Void) {
        let isServed = state.withLock { state in
            state.outbox.append(answer)
            defer { state.isServed = true }
            return state.isServed
        }
        guard !isServed else { return }
        do { try BlockingThread.start { [self] in serveOutbox() } } catch {
            state.withLock { ($0.outbox, $0.isServed) = ([], false) }
            end()
        }
    }

    private func serveOutbox() {
        while true {
            let next: (@Sendable () -> Void)? = state.withLock { state in
                guard state.outbox.isEmpty else { return state.outbox.removeFirst() }
                state.isServed = false
                return nil
            }
            guard let next else { return }
            next()
        }
    }

    /// Sends an event if the socket has room for it; does not wait for an app that does not read. If a reply is being
    /// written, the event waits until the reply is complete.
    func tell(_ event: BrokerEvent) {
        let message = BrokerMessage.event(event)
        // A socket that the kernel reports as writable has more room than an event needs.
        guard descriptor.withNumber({ readiness($0, within: 0) == Int16(POLLOUT) }) else { return }
        let sent: Bool? = writing.withLockIfAvailable { _ in
            do { try connection.write(message.bytes) } catch { return false }
            return true
        }
        switch sent {
        case true?: break
        case false?: end()
        case nil: answerLater { [self] in do { try send(message) } catch { end() } }
        }
    }

    /// Sets the action that runs when the app cancels `request`, or disconnects while the request waits.
    func onCancel(_ request: Request, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.cancellations[request.id] = action }
    }

    /// Ends the connection. That tells the app that its epoch is over.
    func end() {
        connection.shutDown()
        concurrency.cancel(ObjectIdentifier(self), of: peer.process)
        let waiting = state.withLock { state in
            defer { state.cancellations = [:] }
            return Array(state.cancellations.values)
        }
        for cancel in waiting { cancel() }
    }
}

/// Returns the result of poll(2) for writing to a socket; 0 if there is no room within this many milliseconds.
private func readiness(_ number: Int32, within milliseconds: Int32) -> Int16 {
    var question = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&question, 1, milliseconds) == 1 ? question.revents : 0
}
