// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import CLinux
internal import Glibc
internal import Logging
internal import Processes
internal import Redaction
internal import Synchronization
internal import UnixSocket

/// One app's connection: it begins with a hello, belongs to one epoch, and ends with it.
///
/// A thread reads; replies go out under a lock from whatever thread made them. What is not a message of the protocol
/// closes this connection and no other.
final class AppConnection: Sendable {
    let peer: PeerRecord
    private let connection: Connection
    /// One message at a time.
    private let writing = Mutex<Void>(())
    private let state = Mutex(State())
    private let ledger: RequestLedger
    private let concurrency: ConcurrencyLimit
    /// Told of requests and frames that there is no room for.
    private let refused: @Sendable (ConnectionLimitReport.Limit, _ held: Int) -> Void

    private struct State {
        var hello: ClientHello?
        /// Requests without an answer yet.
        var open = 0
        /// When it began, or asked last, counted for all connections.
        var last = AppConnection.moments.add(1, ordering: .relaxed).newValue
        /// What to do when the app gives a request up, by the request's id.
        var cancellations: [String: @Sendable () -> Void] = [:]
        /// Answers that were made by others than the connection's own thread.
        var outbox: [@Sendable () -> Void] = []
        /// Whether a thread sends them.
        var isServed = false
    }

    /// Milliseconds that an app may leave its replies unread before it is cut off.
    private static let sendPatience: Int32 = 2000
    /// Milliseconds for the hello.
    private static let helloPatience: Int32 = 5000
    /// For the rest of a message that has begun.
    private static let framePatience = Duration.seconds(5)

    /// Requests that one app may have open at once.
    private static let maximumOpen = 64

    init(
        _ descriptor: Descriptor, peer: PeerRecord, ledger: RequestLedger, concurrency: ConcurrencyLimit,
        refused: @escaping @Sendable (ConnectionLimitReport.Limit, _ held: Int) -> Void
    ) {
        self.peer = peer
        (self.ledger, self.concurrency, self.refused) = (ledger, concurrency, refused)
        connection = Connection(descriptor, maximumFrame: Wire.maximumFrame, acceptsDescriptors: false)
    }

    var descriptor: Descriptor { connection.descriptor }
    /// The ended epoch that this connection is there to acknowledge, and nothing else.
    var endedEpoch: Epoch? { state.withLock(\.hello)?.endedEpoch }
    /// Whether the app has said hello and takes events.
    var wantsEvents: Bool { state.withLock(\.hello)?.wantsEvents ?? false }

    /// Greets and serves until either side ends the connection.
    ///
    /// - Parameter greeted: called when the app has said hello, before the broker does; whether it is served.
    func serve(
        epoch: Epoch, logger: Logger, greeted: (AppConnection) -> Bool, answer: (Request, AppConnection) -> Void
    ) {
        defer { end() }
        do {
            try descriptor.setSendTimeout(milliseconds: Self.sendPatience)
            try descriptor.setReceiveTimeout(milliseconds: Self.helloPatience)
            guard case .hello(let hello) = try receive() else { return }
            guard hello.transports.contains(Wire.transport) else { return }
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
                switch try receive() {
                case .hello: return
                case .request(let request):
                    // What does not take its answers keeps no turn while it is waited for.
                    guard isReading() else { return }
                    guard inTurn({ serve(request, answer) }) == true else { return }
                case .cancel(let id): state.withLock { $0.cancellations.removeValue(forKey: id) }?()
                }
            }
        } catch {
            logger.debug("app connection ended", metadata: ["peer.pid": "\(peer.pid)", "reason": "\(error)"])
        }
    }

    /// Runs `body` when it is the turn of a message of this connection; nil where the connection was ended before.
    private func inTurn<Value>(_ body: () throws -> Value) rethrows -> Value? {
        try concurrency.run(ObjectIdentifier(self), of: peer.process, body)
    }

    /// Answers a request, or begins to; false where the app has asked too often without waiting for answers.
    private func serve(_ request: Request, _ answer: (Request, AppConnection) -> Void) -> Bool {
        guard admit(request) else { return false }
        answer(request, self)
        return true
    }

    /// Waits until there is room for an answer; false where the app does not make any in time.
    private func isReading() -> Bool {
        // What an app asked before it went away is served, too.
        descriptor.withNumber { readiness($0, within: Self.sendPatience) != 0 }
    }

    /// Whether requests are open, and when the last one came.
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

    /// Whether a frame of this length may come: long ones come from apps that are served alone.
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
        guard let message = try inTurn({ try ClientMessage(bytes: bytes) }) else { throw Connection.ReadFailure.ended }
        return message
    }

    private func send(_ message: BrokerMessage) throws {
        var bytes = message.bytes
        defer { wipe(&bytes) }
        try writing.withLock { _ in try connection.write(bytes) }
    }

    /// Sends the one reply to a request; an app that does not take it is cut off.
    func reply(to request: Request, _ outcome: Result<FlatMap, BrokerError>) {
        state.withLock { state in
            state.cancellations[request.id] = nil
            state.open -= 1
        }
        ledger.giveBack(RequestLedger.size(of: request), for: peer.process)
        do { try send(.reply(Reply(requestID: request.id, outcome: outcome))) } catch { end() }
    }

    /// Runs what answers the app on a thread that is this connection's alone: an app that does not read holds up nobody else.
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

    /// Tells the app something unasked, where it reads what it is sent; one that does not is not waited for.
    func tell(_ event: BrokerEvent) {
        let message = BrokerMessage.event(event)
        // A socket that the kernel calls writable has more room than an event needs.
        guard descriptor.withNumber({ readiness($0, within: 0) == Int16(POLLOUT) }) else { return }
        let sent: Bool? = writing.withLockIfAvailable { _ in
            do { try connection.write(message.bytes) } catch { return false }
            return true
        }
        if sent == false { end() }
    }

    /// What to do when the app gives up `request`, or goes away while it waits.
    func onCancel(_ request: Request, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.cancellations[request.id] = action }
    }

    /// Ends the connection: to the app, the notice that its epoch is over.
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

/// What poll(2) says of writing to a socket; 0 where there is no room for a message within so many milliseconds.
private func readiness(_ number: Int32, within milliseconds: Int32) -> Int16 {
    var question = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&question, 1, milliseconds) == 1 ? question.revents : 0
}
