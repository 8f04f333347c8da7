// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization
internal import UnixSocket

/// The one connection of this process to the broker: kept open, shared by all application objects.
///
/// What it decides, ``RequestStateMachine`` decides; this is the shell with the socket, one thread that connects and reads, a queue
/// that writes, and a timer. The connection belongs to one epoch and ends with it; the thread then connects again, and
/// when the new hello names another epoch, the app gets the notification that Microsoft's broker posts.
package final class BrokerConnection: Sendable {
    /// The connection of this process, to the broker that the environment names.
    static let shared = BrokerConnection(location: .fromEnvironment())
    /// The connection that a test has put in place of the process's own, for what runs inside.
    package static let substitute = TaskLocal<BrokerConnection?>(wrappedValue: nil)
    /// The connection that an application made here and now uses.
    static var current: BrokerConnection { substitute.get() ?? shared }
    static let accountChange = Notification.Name("SHARED_MODE_CURRENT_ACCOUNT_CHANGED")

    struct State {
        var requests: RequestStateMachine
        var connection: Connection?
        var timerFires: ContinuousClock.Instant?
        var isRunning = false
        var isClosed = false
    }

    /// The process that this connection's thread runs in, and how to find out in which one a call is made.
    private let owner: Int32
    private let processID: @Sendable () -> Int32
    let unconfirmed = UnconfirmedChanges()
    let location: BrokerLocation
    let deadlines: BrokerDeadlines
    private let notifications: NotificationCenter
    let state: Mutex<State>
    let wakeup = Wakeup()
    private let writer = DispatchQueue(label: "org.baton.msal.writer")
    private let announcer = DispatchQueue(label: "org.baton.msal.announcer")
    let timers = DispatchQueue(label: "org.baton.msal.timers")
    let log: Log

    /// Makes a connection that opens with the first call.
    package init(
        location: BrokerLocation, deadlines: BrokerDeadlines = BrokerDeadlines(),
        notifications: NotificationCenter = .default, processID: @escaping @Sendable () -> Int32 = { getpid() }
    ) {
        owner = processID()
        self.processID = processID
        self.location = location
        self.deadlines = deadlines
        self.notifications = notifications
        self.log = .shared
        self.state = Mutex(State(requests: RequestStateMachine(deadlines: deadlines)))
    }

    /// Asks the broker; `complete` runs exactly once, here or on a thread of this connection, and must not block it.
    func ask(
        _ operation: BrokerProtocol.Operation, _ parameters: FlatMap, isSilent: Bool = true,
        within patience: Duration? = nil, complete: @escaping Call.Completion
    ) {
        // A child of fork() has neither the thread nor the queues, and the lock may be held by a thread that it has not.
        guard processID() == owner else { return complete(.failure(.forked)) }
        guard parameters.fitsFrame else { return complete(.failure(.tooLong)) }
        let now = ContinuousClock.now
        let request = Request(
            id: UUID().uuidString, operation: operation, parameters: parameters, isSilent: isSilent)
        let call = Call(
            request: request, isIdempotent: operation.isIdempotent,
            deadline: now + min(patience ?? .seconds(3600), isSilent ? deadlines.silent : deadlines.interactive),
            complete: complete)
        startOnce()
        apply { $0.submit(call, now: now) }
    }

    /// Gives up the sign-in that runs, with its window; its call ends by the broker's word.
    ///
    /// - Returns: whether there was one.
    package func cancelSignIn() -> Bool {
        guard processID() == owner else { return false }
        var isRunning = false
        apply { requests in
            isRunning = requests.hasSignIn
            return requests.cancelSignIn(now: .now)
        }
        return isRunning
    }

    /// Ends the connection for good: calls that wait fail, the thread stops.
    package func close() {
        let connection = state.withLock { state in
            state.isClosed = true
            return state.connection
        }
        connection?.shutDown()
        wakeup.raise()
    }

    // MARK: The shell around the machine

    /// Feeds the machine one event and does what it says.
    func apply(_ event: (inout RequestStateMachine) -> [RequestStateMachine.Action]) {
        let (actions, connection) = state.withLock { state in
            let actions = event(&state.requests)
            armTimer(&state)
            return (actions, state.connection)
        }
        for action in actions { perform(action, on: connection) }
    }

    private func perform(_ action: RequestStateMachine.Action, on connection: Connection?) {
        switch action {
        case .open: wakeup.raise()
        case .send(let message): write(message, to: connection)
        case .finish(let call, let outcome):
            log.verbose("\(call.request.operation.rawValue): \(outcome.map { _ in "answered" })")
            call.complete(outcome)
        case .leave: connection?.shutDown()
        case .announceChange:
            log.info("The broker's epoch changed: the current account may be another.")
            announcer.async { [notifications] in notifications.post(name: Self.accountChange, object: nil) }
        }
    }

    private func startOnce() {
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        let thread = Thread { [self] in run() }
        thread.name = "baton-broker"
        thread.start()
    }

    private func write(_ message: ClientMessage, to connection: Connection?) {
        guard let connection else { return }
        writer.async {
            // A failed write needs no handling of its own: the reader sees the end and fails or repeats the calls.
            do { try connection.write(message.bytes) } catch { connection.shutDown() }
        }
    }

    /// Makes sure that the timer fires when the next call runs out of time; one timer serves all calls.
    private func armTimer(_ state: inout State) {
        guard let next = state.requests.nextDeadline, state.timerFires.map({ next < $0 }) ?? true else { return }
        state.timerFires = next
        let delay = max(.zero, next - .now)
        timers.asyncAfter(deadline: .now() + delay.timeInterval) { [weak self] in self?.timerFired(next) }
    }

    private func timerFired(_ instant: ContinuousClock.Instant) {
        state.withLock { if $0.timerFires == instant { $0.timerFires = nil } }
        apply { $0.expire(now: .now) }
    }
}
