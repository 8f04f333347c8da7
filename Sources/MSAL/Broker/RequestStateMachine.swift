// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// The calls of this process and the state of its connection to the broker, as a pure state machine.
///
/// Each event returns the actions to perform. Every call ends with exactly one ``Action/finish(_:_:)``. A duplicate
/// reply, or a reply to a call that has ended, is ignored.
struct RequestStateMachine {
    /// What the caller of this state machine must do, in order.
    enum Action {
        /// Open a connection now.
        case open
        case send(ClientMessage)
        case finish(Call, Result<FlatMap, LinkFailure>)
        /// Close the connection; the next connection belongs to the current epoch.
        case leave
        /// Notify the app that the account may have changed.
        case announceChange
    }

    private struct Entry {
        let call: Call
        var isSent = false
        var isRepeated = false
        /// The epoch of the connection that ended while this sign-in was waiting for its reply.
        var askedIn: Epoch?
        /// The time at which a cancelled sign-in ends even if the broker has not replied.
        var canceledUntil: ContinuousClock.Instant?
        /// When the call began to wait for a connection.
        var since: ContinuousClock.Instant
        var isSignIn: Bool { call.request.operation == .login }
    }

    private let deadlines: BrokerDeadlines
    private let capacity: Int
    private var entries: [Entry] = []
    private var isReady = false
    private var awaitsHello = false
    private var lastEpoch: Epoch?
    /// Whether a call has failed because the broker was unreachable; false again once a connection opens.
    private var missedBroker = false
    /// Whether the broker has refused a call because the app is locked; false again once a connection opens.
    private var isLockedOut = false
    private(set) var lastFailure = LinkFailure.unreachable(reason: "no connection yet")

    init(deadlines: BrokerDeadlines, capacity: Int = 256) {
        self.deadlines = deadlines
        self.capacity = capacity
    }

    /// Whether a connection is needed: a call waits for one, the app must learn of account changes, or a call failed
    /// before and the app must learn when a broker appears.
    var wantsConnection: Bool { lastEpoch != nil || missedBroker || !entries.isEmpty }

    /// When ``expire(now:)`` must be called next.
    var nextDeadline: ContinuousClock.Instant? {
        entries.map { $0.isSent ? $0.canceledUntil ?? $0.call.deadline : $0.since + patience }.min()
    }

    /// How long an unsent call waits: for the connection, and then for the hello.
    private var patience: Duration { deadlines.connect + (awaitsHello ? deadlines.hello : .zero) }

    mutating func submit(_ call: Call, now: ContinuousClock.Instant) -> [Action] {
        guard entries.count < capacity else { return [.finish(call, .failure(.overloaded))] }
        entries.append(Entry(call: call, isSent: isReady, since: now))
        return isReady ? [.send(.request(call.request))] : [.open]
    }

    /// A trusted process accepted the connection.
    mutating func connected() -> [Action] {
        awaitsHello = true
        return []
    }

    /// The broker's hello arrived.
    mutating func opened(_ epoch: Epoch) -> [Action] {
        awaitsHello = false
        isReady = true
        let isChange = lastEpoch.map { $0 != epoch } ?? missedBroker
        // The broker ends the connection of an app that it has unlocked.
        var actions: [Action] = isChange || isLockedOut ? [.announceChange] : []
        (lastEpoch, missedBroker, isLockedOut) = (epoch, false, false)
        entries.removeAll { entry in
            guard let asked = entry.askedIn, !epoch.leavesUnasked(asked) else { return false }
            actions.append(.finish(entry.call, .failure(.ended)))
            return true
        }
        for index in entries.indices {
            entries[index].isSent = true
            actions.append(.send(.request(entries[index].call.request)))
        }
        return actions
    }

    /// The connection attempt failed.
    ///
    /// Calls keep waiting, up to their time limit, if another attempt may succeed.
    mutating func failedToOpen(_ failure: LinkFailure) -> [Action] {
        awaitsHello = false
        // If a broker was reached before, its absence is a failure, even without a marker file.
        let wasManaged = lastEpoch != nil && failure == .personalDevice
        let failure = wasManaged ? .unreachable(reason: "the broker's socket is gone") : failure
        lastFailure = failure
        guard !failure.isPassing else { return [] }
        // A personal device has no broker to wait for.
        missedBroker = failure != .personalDevice && (missedBroker || !entries.isEmpty)
        defer { entries = [] }
        return entries.map { .finish($0.call, .failure(failure)) }
    }

    mutating func received(_ reply: Reply) -> [Action] {
        guard let index = entries.firstIndex(where: { $0.isSent && $0.call.request.id == reply.requestID }) else {
            return []
        }
        let call = entries.remove(at: index).call
        if case .failure(let error) = reply.outcome, error.code == .appLocked { isLockedOut = true }
        let finish = Action.finish(call, reply.outcome.mapError(LinkFailure.refused))
        guard call.request.operation.changesEpoch, case .success = reply.outcome else { return [finish] }
        // This reply ends the connection's epoch: later requests belong to the next epoch.
        isReady = false
        return [.leave, finish]
    }

    /// The connection ended.
    ///
    /// An idempotent call is repeated once on the next connection. A sign-in is repeated once if the next hello shows
    /// that nobody was asked to sign in. All other calls fail. The same applies if the connection ended because of an
    /// unreadable message: that message answered at most one call, so the other calls must not fail.
    mutating func ended(_ failure: LinkFailure, now: ContinuousClock.Instant) -> [Action] {
        isReady = false
        lastFailure = failure
        var actions: [Action] = []
        var kept: [Entry] = []
        for var entry in entries {
            guard entry.isSent else {
                kept.append(entry)
                continue
            }
            let mayRepeat = entry.call.isIdempotent || entry.isSignIn && entry.canceledUntil == nil
            if failure == .ended || failure == .corrupted, mayRepeat, !entry.isRepeated {
                if entry.isSignIn { entry.askedIn = lastEpoch }
                entry.isSent = false
                entry.isRepeated = true
                entry.since = now
                kept.append(entry)
            } else {
                actions.append(.finish(entry.call, .failure(entry.canceledUntil == nil ? failure : .canceled)))
            }
        }
        entries = kept
        return actions
    }

    /// Whether there is a sign-in that has not been cancelled.
    var hasSignIn: Bool { entries.contains { $0.isSignIn && $0.canceledUntil == nil } }

    /// The app has cancelled its sign-ins.
    ///
    /// A sign-in that was already sent ends with the broker's reply, because only the broker can say whether the user
    /// had already finished signing in.
    mutating func cancelSignIn(now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        for index in entries.indices.reversed() where entries[index].isSignIn && entries[index].canceledUntil == nil {
            let call = entries[index].call
            if entries[index].isSent {
                entries[index].canceledUntil = now + deadlines.cancellation
                actions.append(.send(.cancel(call.request.id)))
            } else {
                entries.remove(at: index)
                actions.append(.finish(call, .failure(.canceled)))
            }
        }
        return actions
    }

    /// The connection is closed permanently.
    mutating func closed() -> [Action] {
        defer { entries = [] }
        return entries.map { .finish($0.call, .failure(.ended)) }
    }

    /// Fails the calls whose time has run out.
    mutating func expire(now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        let patience = patience
        entries.removeAll { entry in
            if entry.isSent, entry.canceledUntil ?? entry.call.deadline <= now {
                if entry.canceledUntil == nil { actions.append(.send(.cancel(entry.call.request.id))) }
                actions.append(.finish(entry.call, .failure(entry.canceledUntil == nil ? .tooLate : .canceled)))
                return true
            }
            guard !entry.isSent, entry.since + patience <= now else { return false }
            if lastEpoch == nil { missedBroker = true }
            // If a sign-in was already sent once, it is unknown whether it was completed.
            let failure = entry.askedIn == nil ? Self.unreachable(lastFailure) : .ended
            actions.append(.finish(entry.call, .failure(failure)))
            return true
        }
        return actions
    }

    private static func unreachable(_ failure: LinkFailure) -> LinkFailure {
        switch failure {
        case .unreachable, .corrupted: failure
        default: .unreachable(reason: "the connection ended and was not restored")
        }
    }
}

extension Epoch {
    /// Whether a sign-in that was sent in the epoch `asked` may be sent again in this epoch.
    ///
    /// The counter increases when a sign-in begins and again when its epoch ends. If the counter is higher by two or
    /// more, a sign-in page may have been shown already.
    fileprivate func leavesUnasked(_ asked: Epoch) -> Bool {
        self == asked || counter == asked.counter.addingReportingOverflow(1).partialValue
    }
}
