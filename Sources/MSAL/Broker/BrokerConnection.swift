// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import Dispatch
package import Foundation
internal import Glibc
internal import Synchronization
internal import UnixSocket

/// This process's one connection to the broker. It stays open and all application objects share it.
///
/// ``RequestStateMachine`` makes the decisions; this class adds the socket, a thread that connects and reads, a
/// ``FrameWriter``, and a timer. A connection belongs to one epoch and ends with it. The thread then connects again. If
/// the new hello has another epoch, the app gets the notification that Microsoft's broker posts in this case.
package final class BrokerConnection: Sendable {
    /// The connection of this process. It leads to the broker that the environment names, or to the system's broker if
    /// the environment names none.
    static let shared = BrokerConnection(location: .fromEnvironment())
    /// The connection that a test uses instead of the process's own, for code that runs inside the task-local scope.
    package static let substitute = TaskLocal<BrokerConnection?>(wrappedValue: nil)
    /// The connection that an application created here would use.
    static var current: BrokerConnection { substitute.get() ?? shared }
    package static let accountChange = Notification.Name("SHARED_MODE_CURRENT_ACCOUNT_CHANGED")

    struct State {
        var requests: RequestStateMachine
        var connection: FrameConnection?
        var timerFires: ContinuousClock.Instant?
        var isRunning = false
        var isClosed = false
    }

    /// The id of the process that made this connection, and a function that returns the current process's id.
    private let owner: Int32
    private let processID: @Sendable () -> Int32
    let unconfirmed = UnconfirmedChanges()
    let decoded = DecodedReplies()
    let location: BrokerLocation
    let deadlines: BrokerDeadlines
    private let notifications: NotificationCenter
    /// If set, this connection can only acknowledge this ended epoch.
    let endedEpoch: Epoch?
    let listener: BrokerListener?
    let state: Mutex<State>
    let wakeup = Wakeup()
    private let writer = FrameWriter()
    private let announcer = DispatchQueue(label: "org.baton.msal.announcer")
    let timers = DispatchQueue(label: "org.baton.msal.timers")
    let log: Log

    /// Makes a connection, which opens with the first call.
    package init(
        location: BrokerLocation, deadlines: BrokerDeadlines = BrokerDeadlines(),
        notifications: NotificationCenter = .default, endedEpoch: Epoch? = nil, listener: BrokerListener? = nil,
        processID: @escaping @Sendable () -> Int32 = { getpid() }
    ) {
        (self.endedEpoch, self.listener) = (endedEpoch, listener)
        owner = processID()
        self.processID = processID
        self.location = location
        self.deadlines = deadlines
        self.notifications = notifications
        self.log = .shared
        self.state = Mutex(State(requests: RequestStateMachine(deadlines: deadlines)))
    }

    /// Sends a request to the broker. `complete` runs exactly once, on the caller's thread or on a thread of this
    /// connection, and must not block that thread.
    package func ask(
        _ operation: BrokerProtocol.Operation, _ parameters: FlatMap, isSilent: Bool = true,
        within patience: Duration? = nil, complete: @escaping Call.Completion
    ) {
        // After fork() the child process has neither the thread nor the queues, and a thread of the parent process may
        // have held the lock.
        guard processID() == owner else { return complete(.failure(.forked)) }
        guard parameters.fitsFrame else { return complete(.failure(.tooLong)) }
        let now = ContinuousClock.now
        let request = Request(
            id: UUID.random().text, operation: operation, parameters: parameters, isSilent: isSilent)
        let call = Call(
            request: request, isIdempotent: operation.isIdempotent,
            deadline: now + min(patience ?? .seconds(3600), deadline(of: operation, isSilent: isSilent)),
            complete: complete)
        startOnce()
        apply { $0.submit(call, now: now) }
    }

    private func deadline(of operation: BrokerProtocol.Operation, isSilent: Bool) -> Duration {
        guard isSilent else { return deadlines.interactive }
        return switch operation.work {
        case .reading: deadlines.reading
        case .recording: deadlines.recording
        case .asking: deadlines.silent
        }
    }

    /// Cancels the sign-in in progress and closes its window. The app's call for this sign-in ends when the broker
    /// replies.
    ///
    /// - Returns: whether a sign-in was in progress.
    package func cancelSignIn() -> Bool {
        guard processID() == owner else { return false }
        var isRunning = false
        apply { requests in
            isRunning = requests.hasSignIn
            return requests.cancelSignIn(now: .now)
        }
        return isRunning
    }

    /// Ends the open connection; the thread then opens a new one.
    package func reopen() { state.withLock(\.connection)?.shutDown() }

    /// Closes the connection permanently: waiting calls fail and the thread stops.
    package func close() {
        let connection = state.withLock { state in
            state.isClosed = true
            return state.connection
        }
        connection?.shutDown()
        wakeup.raise()
    }

    /// Makes another connection to the same broker, which opens with the first call.
    ///
    /// - Parameters:
    ///   - endedEpoch: if given, the new connection can only acknowledge this ended epoch.
    ///   - listener: receives the broker's events.
    package func companion(endedEpoch: Epoch? = nil, listener: BrokerListener? = nil) -> BrokerConnection {
        BrokerConnection(
            location: location, deadlines: deadlines, notifications: notifications, endedEpoch: endedEpoch,
            listener: listener, processID: processID)
    }

    /// Notifies the app that the current account may have changed.
    package func announceChange() {
        announcer.async { [notifications] in notifications.post(name: Self.accountChange, object: nil) }
    }

    // MARK: Events and actions of the state machine

    /// Passes one event to the state machine and performs the actions that it returns.
    func apply(_ event: (inout RequestStateMachine) -> [RequestStateMachine.Action]) {
        let (actions, connection) = state.withLock { state in
            let actions = event(&state.requests)
            armTimer(&state)
            return (actions, state.connection)
        }
        for action in actions { perform(action, on: connection) }
    }

    private func perform(_ action: RequestStateMachine.Action, on connection: FrameConnection?) {
        switch action {
        case .open: wakeup.raise()
        case .send(let message): if let connection { writer.write(message.bytes, to: connection) }
        case .finish(let call, let outcome):
            log.verbose("\(call.request.operation.rawValue): \(outcome.map { _ in "answered" })")
            call.complete(outcome)
        case .leave: connection?.shutDown()
        case .announceChange:
            log.info("The broker's epoch changed: the current account may have changed.")
            // A companion leaves the notification to the connection that the app's calls use.
            if listener == nil { announceChange() }
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

    /// Makes sure that the timer fires at the next deadline of a call; one timer serves all calls.
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
