// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import MSAL
internal import Redaction
internal import Synchronization
internal import UnixSocket

/// The broker of a ``TestDevice``: each connection is a socket pair in this process, served by its own thread.
///
/// ``DeviceModel`` computes its answers.
final class InProcessBroker: Sendable {
    fileprivate struct State {
        var model: DeviceModel
        var isShared: Bool
        var isRunning = true
        var connections: [ObjectIdentifier: FrameConnection] = [:]
        /// The connections that asked for events.
        var listeners: [ObjectIdentifier: FrameConnection] = [:]
        /// Sign-ins whose page is open.
        var open: [(request: Request, connection: FrameConnection)] = []
        /// Tests that wait until a call reaches the broker.
        var waiting: [(call: TestCall, times: Int, signal: AsyncStream<Void>.Continuation)] = []
        /// Tests that wait until the erasers have answered.
        var settling: [AsyncStream<Void>.Continuation] = []
    }

    private let state: Mutex<State>

    init(isShared: Bool, now: @escaping @Sendable () -> Date) {
        state = Mutex(State(model: DeviceModel(now: now), isShared: isShared))
    }

    func withModel<Value>(_ body: (inout DeviceModel) -> Value) -> Value { state.withLock { body(&$0.model) } }

    var isPersonal: Bool { state.withLock { !$0.isShared } }

    /// Returns the app's end of a new connection.
    ///
    /// - Throws: ``SocketError`` if the device is personal or its broker is stopped.
    func connect() throws(SocketError) -> FrameConnection {
        let (app, broker) = try FrameConnection.pair(maximumFrame: Wire.maximumFrame)
        let isListening = state.withLock { state in
            guard state.isShared, state.isRunning else { return false }
            state.connections[ObjectIdentifier(broker)] = broker
            return true
        }
        guard isListening else { throw SocketError(call: .connect, errno: ENOENT) }
        let thread = Thread { [self] in serve(broker) }
        thread.name = "msal-test-broker"
        thread.start()
        return app
    }

    /// Changes the state of the device: who is signed in, and whether the broker runs. Ends every connection.
    func change(isShared: Bool? = nil, isRunning: Bool? = nil, _ body: (inout DeviceModel) -> Void = { _ in }) {
        state.withLock { state in
            body(&state.model)
            state.settle()
            state.isShared = isShared ?? state.isShared
            state.isRunning = isRunning ?? state.isRunning
            state.endConnections()
        }
    }

    /// Signs the worker out, and waits until the erasers of running apps have answered or their time is over.
    func signOutAndSettle() async {
        let isRunning = state.withLock { !$0.listeners.isEmpty }
        change { $0.begin(nil) }
        guard isRunning else { return }
        let (answers, signal) = AsyncStream.makeStream(of: Void.self)
        state.withLock { state in
            if state.model.erasers.awaited.isEmpty { signal.yield() } else { state.settling.append(signal) }
        }
        var iterator = answers.makeAsyncIterator()
        await iterator.next()
    }

    /// Ends the time in which erasers must answer.
    func lockApps() {
        state.withLock { state in
            state.model.lockApps()
            state.settle()
        }
    }

    /// Tells the apps that asked for events that the session is about to end.
    func announceEnd(milliseconds: Int) {
        state.withLock { $0.tell(.willEnd($0.model.epoch, milliseconds: milliseconds)) }
    }

    /// Ends every open sign-in page with `outcome`; returns whether a page was open.
    func finishSignIns(_ outcome: TestSignIn) -> Bool {
        state.withLock { state in
            let open = state.open
            state.open = []
            for (request, connection) in open {
                state.send(state.model.signIn(request, outcome), to: request, connection)
            }
            return !open.isEmpty
        }
    }

    /// Waits until `call` has reached the broker `times` times. Returns early if the task is cancelled.
    func reached(_ call: TestCall, times: Int) async {
        let (calls, signal) = AsyncStream.makeStream(of: Void.self)
        state.withLock { state in
            state.waiting.append((call, times, signal))
            state.signalReached()
        }
        var iterator = calls.makeAsyncIterator()
        await iterator.next()
    }

    private func serve(_ connection: FrameConnection) {
        // As with the real broker, an unreadable message ends the connection.
        while let frame = try? connection.read(),
            let message = try? ClientMessage(bytes: unsafe frame.body.withUnsafeBytes { unsafe [UInt8]($0) })
        {
            state.withLock { $0.handle(message, from: connection) }
        }
        connection.shutDown()
        state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = nil
            state.listeners[ObjectIdentifier(connection)] = nil
            state.open.removeAll { $0.connection === connection }
        }
    }
}

extension InProcessBroker.State {
    fileprivate mutating func handle(_ message: ClientMessage, from connection: FrameConnection) {
        switch message {
        case .hello(let greeting):
            if greeting.wantsEvents { listeners[ObjectIdentifier(connection)] = connection }
            let hello = BrokerHello(
                transport: Wire.transport, brokerVersion: "test", operations: TestCall.allCases.map(\.operation),
                events: BrokerEvent.Name.all, epoch: model.epoch)
            try? connection.write(BrokerMessage.hello(hello).bytes)
        case .request(let request):
            send(model.answer(request), to: request, connection)
            signalReached()
            settle()
        case .cancel(let id):
            guard let index = open.firstIndex(where: { $0.request.id == id && $0.connection === connection }) else {
                return
            }
            let (request, connection) = open.remove(at: index)
            send(model.signIn(request, .canceled), to: request, connection)
        }
    }

    fileprivate mutating func send(_ answer: DeviceModel.Answer, to request: Request, _ connection: FrameConnection) {
        switch answer {
        case .reply(let map): reply(.success(map), to: request, connection)
        case .refusal(let error): reply(.failure(error), to: request, connection)
        case .newEpoch(let map):
            reply(.success(map), to: request, connection)
            endConnections()
        case .unlocking(let map):
            reply(.success(map), to: request, connection)
            tell(.unlocked(model.epoch))
        case .staysOpen: open.append((request, connection))
        case .lostConnection: connection.shutDown()
        case .garbage: try? connection.write(Array("garbage".utf8))
        case .silence: break
        }
    }

    /// Writes a reply. Ignores errors: if the app has closed the connection, the reading thread ends.
    private func reply(_ outcome: Result<FlatMap, BrokerError>, to request: Request, _ connection: FrameConnection) {
        try? connection.write(BrokerMessage.reply(Reply(requestID: request.id, outcome: outcome)).bytes)
    }

    /// Resumes the tests whose calls have reached the broker.
    fileprivate mutating func signalReached() {
        waiting.removeAll { [model] call, times, signal in
            guard model.count(of: call) >= times else { return false }
            signal.yield()
            return true
        }
    }

    /// Resumes the tests that wait for erasers, if every eraser has answered.
    fileprivate mutating func settle() {
        guard model.erasers.awaited.isEmpty else { return }
        for signal in settling { signal.yield() }
        settling = []
    }

    /// Sends an event. Ignores errors, as `reply` does.
    fileprivate func tell(_ event: BrokerEvent) {
        for connection in listeners.values { try? connection.write(BrokerMessage.event(event).bytes) }
    }

    fileprivate mutating func endConnections() {
        for connection in connections.values { connection.shutDown() }
        (connections, listeners) = ([:], [:])
        open = []
    }
}
