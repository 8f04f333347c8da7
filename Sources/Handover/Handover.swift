// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
public import Foundation
public import MSAL
internal import Synchronization

/// An app's part in the hand-over of a shared device from one worker to the next.
///
/// ```swift
/// let handover = try Handover(application)
/// try handover.eraser("notes") { _ in try notes.removeAll() }
/// for await change in try handover.changes(for: "window") {
///     window.show(change.current)
/// }
/// ```
///
/// Keep one object for as long as the process runs. It has its own connection to the broker. Over this connection, the
/// broker reports each change of worker, and announces the end of a session in advance. If a test, or an app that
/// starts anew inside its process, needs another object instead, ``close()`` the former one first. All methods may be
/// called from any thread, and do not block.
public final class Handover: Sendable {
    /// Erases data of a worker.
    ///
    /// - Throws: any error, if the data could not be erased. The app then stays locked.
    public typealias Eraser = @Sendable (Erasure) async throws -> Void
    /// Prepares for the end of a session, which comes at `deadline` at the latest.
    public typealias Preparation = @Sendable (_ deadline: ContinuousClock.Instant) async -> Void

    private struct State {
        var machine = HandoverMachine()
        var connection: BrokerConnection?
        var erasers: [String: Eraser] = [:]
        var preparations: [Preparation] = []
        var waiting: [String: Wait] = [:]
        var waits: UInt64 = 0
        /// The newest loop over the changes of each reader.
        var loops: [String: UInt64] = [:]
        var lastActivity: ContinuousClock.Instant?
        var isClosed = false
    }

    /// A task that waits for the next change of a reader.
    private struct Wait {
        let number: UInt64
        let continuation: CheckedContinuation<WorkerChange?, Never>
    }

    private let state = Mutex(State())
    /// Performs the state machine's actions in the order of its events.
    private let queue = DispatchQueue(label: "org.baton.handover")
    private let broker: BrokerConnection
    private let client: ClientRequest
    private let environment: String
    private let names: UsedNames

    /// The shortest time between two reports of a person's activity to the broker.
    private static let activityPause = Duration.seconds(1)
    /// The pause before a report is sent again.
    private static let reportPause = DispatchTimeInterval.milliseconds(200)

    /// Takes part in the hand-over for an application.
    ///
    /// - Throws: ``HandoverError/Code/brokerSwitchedOff``.
    public init(_ application: MSALPublicClientApplication) throws(HandoverError) {
        guard let broker = application.broker, MSALGlobalConfig.brokerAvailability == .auto else {
            throw HandoverError(code: .brokerSwitchedOff)
        }
        (self.broker, environment) = (broker, application.environment)
        client = ClientRequest(clientID: application.clientID)
        names = UsedNames(broker: broker, clientID: application.clientID)
        let connection = broker.companion(
            listener: BrokerListener(
                opened: { [weak self] epoch in self?.apply { $0.machine.opened(epoch) } },
                missed: { [weak self] failure in self?.apply { $0.machine.missed(failure) } },
                event: { [weak self] event in self?.apply { $0.machine.event(event) } }))
        state.withLock { $0.connection = connection }
        // The first call opens the connection, and the connection reopens by itself.
        connection.ask(.epoch, client.entries) { _ in }
    }

    deinit { close() }

    /// Ends this object, as the end of the process would: its connection ends, its loops over changes end, no block is
    /// called any more, and its names may be used by another object of the process.
    ///
    /// Call this before you create an object that replaces this one. Do not rely on the end of the last reference: a
    /// task that still waits for a change keeps the object. Erasures that were owed remain owed, so give the other
    /// object the same erasers. If an eraser is running, wait for it first: its result is not reported, and what it
    /// erases later may be the next worker's. Without another object, the broker still waits for the erasers of this
    /// process at the end of the session, and the device then ends the process.
    public func close() {
        let former = state.withLock { state in
            let former = state
            state = State(isClosed: true)
            return former
        }
        former.connection?.close()
        for wait in former.waiting.values { wait.continuation.resume(returning: nil) }
        names.free()
    }

    // MARK: What an app uses

    /// Registers a block that erases a part of a worker's data.
    ///
    /// The block runs after each sign-out. If the process is not running at that time, the app is locked, and the block
    /// runs when the app next starts. Until the block has returned, no reader is told of the next worker. If the block
    /// throws, or has not returned after three seconds, the device goes on to the next worker, and the app is locked
    /// for that worker: the calls of `MSAL` fail with the reason `app_locked` until a block has returned. A block that
    /// has thrown is called again when the worker changes, and when the app starts. If a process of the session's user
    /// has neither erased nor thrown after three seconds, the device ends the process, which loses what it has in
    /// memory.
    ///
    /// The block must first stop everything that the app still does for the worker, even in a reader that is handling a
    /// change: data written after the block has returned is not erased. If several processes of the app may run, store
    /// the ``SessionEpoch/number`` with the data, and erase only data whose number is not greater than the number of
    /// ``Erasure/epoch``: a slow process may erase when the next worker already has data.
    ///
    /// Register each eraser when the process starts and before you ask for ``changes(for:)``, under a name that never
    /// changes.
    ///
    /// - Parameters:
    ///   - name: 1 to 16 letters from a to z. An app has at most 16 erasers. No other eraser of the process may use the
    ///     name, whichever object it belongs to.
    ///   - erase: erases the data; runs on no particular thread.
    /// - Throws: ``HandoverError``.
    public func eraser(_ name: String, erase: @escaping Eraser) throws(HandoverError) {
        try register { state throws(HandoverError) in
            try names.take(eraser: name)
            state.erasers[name] = erase
            return state.machine.add(eraser: name)
        }
    }

    /// Returns the changes of worker for one reader.
    ///
    /// - Parameter reader: 1 to 16 letters from a to z. An app has at most 16 readers. Each reader is told of each
    ///   change, and handles it independently of the others. No other reader of the process may use the name, whichever
    ///   object it belongs to. Processes that run at the same time must use different names, too. If processes share a
    ///   name and one of them has handled a change, a process that was not running during that change is not told of
    ///   it.
    /// - Throws: ``HandoverError``.
    public func changes(for reader: String) throws(HandoverError) -> WorkerChanges {
        try register { state throws(HandoverError) in
            try names.take(reader: reader)
            return state.machine.add(reader: reader)
        }
        return WorkerChanges(handover: self, reader: reader)
    }

    /// Registers a block that runs before a session ends, for example to save a draft. It runs only if the end can
    /// wait.
    ///
    /// The session ends as soon as all blocks of all apps have returned, and no app has unsaved work. It ends at the
    /// deadline in any case, and without notice if the organisation ends it. A process has at most 16 such blocks.
    /// While one of them hangs, no block is started for a later end, and the session then ends at the deadline.
    ///
    /// - Throws: ``HandoverError/Code/blocksTooMany``, or ``HandoverError/Code/closed``.
    public func willEnd(_ prepare: @escaping Preparation) throws(HandoverError) {
        try state.withLock { state throws(HandoverError) in
            guard !state.isClosed else { throw HandoverError(code: .closed) }
            guard state.preparations.count < HandoverName.maximumCount else {
                throw HandoverError(code: .blocksTooMany)
            }
            state.preparations.append(prepare)
        }
    }

    /// Whether the app has unsaved work of the worker. If this is true when the end of the session is announced, the
    /// end waits longer, until it is false, and the home screen names the app. If it becomes true only afterwards, for
    /// example in a block of ``willEnd(_:)``, it may be too late. It becomes false again in each new epoch.
    public var hasUnsavedWork: Bool {
        get { state.withLock(\.machine.hasUnsavedWork) }
        set { apply { $0.machine.setUnsaved(newValue) } }
    }

    /// Tells the broker that a person is using the app. This restarts the time after which an idle session ends.
    ///
    /// May be called for each key press and each touch; the broker is told at most once a second.
    public func isActive() {
        let connection = state.withLock { state -> BrokerConnection? in
            let now = ContinuousClock.now
            if let last = state.lastActivity, now - last < Self.activityPause { return nil }
            state.lastActivity = now
            return state.connection
        }
        connection?.ask(.activity, client.entries) { _ in }
    }

    // MARK: What the readers do

    /// Returns the number of the next wait or loop.
    func newWait() -> UInt64 {
        state.withLock { state in
            state.waits += 1
            return state.waits
        }
    }

    /// A new loop over the changes has begun.
    ///
    /// - Returns: the number of the loop.
    func restart(_ reader: String) -> UInt64 {
        let loop = newWait()
        apply { state in
            state.loops[reader] = loop
            return state.machine.restart(reader)
        }
        return loop
    }

    /// Resumes `continuation` with the next change; with nil if the object is closed, or if another loop has begun,
    /// which must handle the changes.
    func wait(
        _ number: UInt64, in loop: UInt64, for reader: String,
        _ continuation: CheckedContinuation<WorkerChange?, Never>
    ) {
        // Of an object that is closed, no loop goes on.
        var isOver = true
        apply { state in
            isOver = state.loops[reader] != loop
            guard !isOver else { return [] }
            let other = state.waiting.updateValue(Wait(number: number, continuation: continuation), forKey: reader)
            other?.continuation.resume(returning: nil)
            return state.machine.wanted(by: reader)
        }
        guard !isOver else { return continuation.resume(returning: nil) }
        if Task.isCancelled { stopWaiting(number, for: reader) }
    }

    func stopWaiting(_ number: UInt64, for reader: String) {
        let wait = state.withLock { state -> Wait? in
            guard state.waiting[reader]?.number == number else { return nil }
            state.machine.stopWaiting(reader)
            return state.waiting.removeValue(forKey: reader)
        }
        wait?.continuation.resume(returning: nil)
    }

    // MARK: Actions of the machine

    /// Passes an event to the state machine, and schedules the actions that it returns. Does nothing after ``close()``.
    private func apply(_ event: (inout State) -> [HandoverMachine.Action]) {
        do throws(HandoverError) { try register { state throws(HandoverError) in event(&state) } } catch {}
    }

    /// Like ``apply(_:)``, for an event that can be refused.
    private func register(
        _ event: (inout State) throws(HandoverError) -> [HandoverMachine.Action]
    ) throws(HandoverError) {
        let told = try state.withLock { state throws(HandoverError) in
            guard !state.isClosed else { throw HandoverError(code: .closed) }
            let actions = try event(&state)
            let connection = state.connection
            // The actions are queued under the lock, so that they run in the order of the events.
            if !actions.isEmpty {
                queue.async { [weak self] in
                    for action in actions { self?.perform(action, on: connection) }
                }
            }
            // The waiting task is removed together with its change, so that a cancellation cannot come between the two.
            return actions.compactMap { action -> (Wait, WorkerChange)? in
                guard case .tell(let reader, let change) = action else { return nil }
                return state.waiting.removeValue(forKey: reader).map { ($0, change) }
            }
        }
        for (wait, change) in told { wait.continuation.resume(returning: change) }
    }

    private func perform(_ action: HandoverMachine.Action, on connection: BrokerConnection?) {
        switch action {
        case .askOwed(let name): askOwed(name, on: connection)
        case .register(let name):
            ask(.registerEraser, entries(eraser: name), on: connection) { [weak self] answer in
                self?.apply { $0.machine.registered(name, answer.map { _ in }) }
            }
        case .erase(let name, let ended): erase(name, ended)
        case .report(let name, let ended, let result): report(name, of: ended, result)
        case .reportLater(let name):
            queue.asyncAfter(deadline: .now() + Self.reportPause) { [weak self] in
                self?.apply { $0.machine.resend(name) }
            }
        case .askAccount(let reader): askAccount(reader, on: connection)
        case .acknowledge(let reader, let receipt):
            var map = Acknowledgement(
                client: client, epoch: receipt.epoch, previousHomeAccountID: receipt.previous
            ).entries
            map[.reader] = reader
            // If this fails, the broker reports the change again, and the reader is not told twice.
            connection?.ask(.acknowledgeAccount, map) { _ in }
        case .tell: break
        case .reportUnsaved(let isUnsaved):
            // The answer does not matter. If nobody is signed in, no end of a session can wait. After a failure, the
            // work is reported on the next connection.
            connection?.ask(.unsavedWork, UnsavedWorkReport(client: client, isUnsaved: isUnsaved).entries) {
                [weak self] _ in self?.apply { $0.machine.reportedUnsaved() }
            }
        case .prepare(let ended, let milliseconds): prepare(ended, milliseconds)
        // If this fails, the session ends at the deadline.
        case .readyToEnd: connection?.ask(.readyToEnd, client.entries) { _ in }
        case .announceChange: broker.announceChange()
        }
    }

    /// Sends the broker a request whose answer the state machine needs. If no answer comes although the connection is
    /// open, a new connection is opened, and the state machine repeats the request.
    private func ask(
        _ operation: BrokerProtocol.Operation, _ map: FlatMap, on connection: BrokerConnection?,
        complete: @escaping Call.Completion
    ) {
        connection?.ask(operation, map) { answer in
            complete(answer)
            if case .failure(let failure) = answer, failure.isPassing, failure != .ended { connection?.reopen() }
        }
    }

    private func entries(eraser name: String) -> FlatMap {
        var map = client.entries
        map[.eraser] = name
        return map
    }

    private func askOwed(_ name: String, on connection: BrokerConnection?) {
        ask(.epoch, entries(eraser: name), on: connection) { [weak self] answer in
            self?.apply {
                $0.machine.owed(name, answer.flatMap(Self.endedEpoch))
            }
        }
    }

    private static func endedEpoch(_ answer: FlatMap) -> Result<Epoch?, LinkFailure> {
        guard let text = answer[.endedEpoch] else { return .success(nil) }
        return Epoch(text).map { .success($0) } ?? .failure(.corrupted)
    }

    private func erase(_ name: String, _ ended: Epoch) {
        guard let eraser = state.withLock({ $0.erasers[name] }) else { return }
        Task { [weak self] in
            var result = EraserReport.Result.done
            do { try await eraser(Erasure(epoch: SessionEpoch(ended))) } catch { result = .failed }
            self?.apply { [result] in $0.machine.erased(name, of: ended, result) }
        }
    }

    /// Sends the report on a separate connection, which names the ended epoch and can be used for nothing else.
    private func report(_ name: String, of ended: Epoch, _ result: EraserReport.Result) {
        let connection = broker.companion(endedEpoch: ended)
        let report = EraserReport(client: client, name: name, epoch: ended, result: result)
        connection.ask(.acknowledge, report.entries) { [weak self] answer in
            connection.close()
            self?.apply { $0.machine.reported(name, of: ended, answer.map { _ in }) }
        }
    }

    private func askAccount(_ reader: String, on connection: BrokerConnection?) {
        var map = client.entries
        map[.reader] = reader
        ask(.currentAccount, map, on: connection) { [weak self, environment] answer in
            self?.apply { $0.machine.account(reader, answer.flatMap { ReaderState.Answer.read($0, environment) }) }
        }
    }

    private func prepare(_ ended: Epoch, _ milliseconds: Int) {
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        let preparations = state.withLock(\.preparations)
        Task { [weak self] in
            await withTaskGroup { group in
                for prepare in preparations { group.addTask { await prepare(deadline) } }
            }
            self?.apply { $0.machine.prepared(ended) }
        }
    }
}

extension ReaderState.Answer {
    fileprivate static func read(_ map: FlatMap, _ environment: String) -> Result<Self, LinkFailure> {
        guard let answer = try? CurrentAccount(map) else { return .failure(.corrupted) }
        return .success(
            Self(
                current: answer.current.map { MSALAccount($0) },
                previous: answer.previousHomeAccountID.map {
                    MSALAccount(identifier: $0, username: nil, environment: environment)
                }, epoch: answer.epoch))
    }
}

extension Notification.Name {
    /// `MSAL` posts this when the current account may have changed. If the process has a ``Handover``, it is also
    /// posted when an app that was locked may ask again.
    public static let currentAccountChanged = BrokerConnection.accountChange
}
