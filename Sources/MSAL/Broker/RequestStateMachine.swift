// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// The calls of this process and the state of its one connection to the broker: a pure machine.
///
/// Each event returns what is to be done. Every call leaves with exactly one ``Action/finish(_:_:)``; a reply that comes
/// twice, or to a call that is gone, finds nobody and does nothing.
struct RequestStateMachine {
    /// What the shell around this machine has to do, in order.
    enum Action {
        /// Bring a connection up, now.
        case open
        case send(ClientMessage)
        case finish(Call, Result<FlatMap, LinkFailure>)
        /// End the connection; the next one belongs to the present epoch.
        case leave
        /// Tell the app that the account may have changed.
        case announceChange
    }

    private struct Entry {
        let call: Call
        var isSent = false
        var isRepeated = false
        /// The epoch of the connection that ended under a sign-in.
        var askedIn: Epoch?
        /// When a sign-in that was given up ends without the broker's word.
        var canceledUntil: ContinuousClock.Instant?
        /// Since when the call waits for a connection.
        var since: ContinuousClock.Instant
        var isSignIn: Bool { call.request.operation == .login }
    }

    private let deadlines: BrokerDeadlines
    private let capacity: Int
    private var entries: [Entry] = []
    private var isReady = false
    private var awaitsHello = false
    private var lastEpoch: Epoch?
    /// Whether a call failed because no broker could be reached, and none has been reached since.
    private var missedBroker = false
    private var lastFailure = LinkFailure.unreachable(reason: "no connection yet")

    init(deadlines: BrokerDeadlines, capacity: Int = 256) {
        self.deadlines = deadlines
        self.capacity = capacity
    }

    /// Whether somebody waits for a connection, had one and must learn of changes, or asked in vain and must learn when a
    /// broker comes.
    var wantsConnection: Bool { lastEpoch != nil || missedBroker || !entries.isEmpty }

    /// When ``expire(now:)`` has something to do next.
    var nextDeadline: ContinuousClock.Instant? {
        entries.map { $0.isSent ? $0.canceledUntil ?? $0.call.deadline : $0.since + patience }.min()
    }

    /// How long an unsent call waits: for the connection, and for the hello once there is one.
    private var patience: Duration { deadlines.connect + (awaitsHello ? deadlines.hello : .zero) }

    mutating func submit(_ call: Call, now: ContinuousClock.Instant) -> [Action] {
        guard entries.count < capacity else { return [.finish(call, .failure(.overloaded))] }
        entries.append(Entry(call: call, isSent: isReady, since: now))
        return isReady ? [.send(.request(call.request))] : [.open]
    }

    /// Somebody trustworthy accepted the connection.
    mutating func connected() -> [Action] {
        awaitsHello = true
        return []
    }

    /// The broker said hello.
    mutating func opened(_ epoch: Epoch) -> [Action] {
        awaitsHello = false
        isReady = true
        let isChange = lastEpoch.map { $0 != epoch } ?? missedBroker
        lastEpoch = epoch
        missedBroker = false
        var actions: [Action] = isChange ? [.announceChange] : []
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

    /// No connection came about.
    ///
    /// Calls go on waiting where another attempt may help, until their patience ends.
    mutating func failedToOpen(_ failure: LinkFailure) -> [Action] {
        awaitsHello = false
        // Where a broker was, its absence is a failure, whatever the marker says.
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
        let finish = Action.finish(call, reply.outcome.mapError(LinkFailure.refused))
        guard call.request.operation.changesEpoch, case .success = reply.outcome else { return [finish] }
        // The epoch of this connection is over with this reply: what is asked from here on belongs to the next one.
        isReady = false
        return [.leave, finish]
    }

    /// The connection ended.
    ///
    /// Harmless calls are repeated once on the next one, a sign-in where the next hello says that nobody was asked; the
    /// others fail. That holds for a message that cannot be read, too: it was the answer to one call and ends no other.
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

    /// Whether a sign-in runs that nobody has given up.
    var hasSignIn: Bool { entries.contains { $0.isSignIn && $0.canceledUntil == nil } }

    /// The app gives up the sign-ins that run.
    ///
    /// Those that the broker knows of end by its word, for only it can say whether the person had finished before.
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

    /// Nobody will connect any more.
    mutating func closed() -> [Action] {
        defer { entries = [] }
        return entries.map { .finish($0.call, .failure(.ended)) }
    }

    /// Fails the calls whose time is over.
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
            // Of a sign-in that was asked once nobody knows whether it was done.
            let failure = entry.askedIn == nil ? Self.unreachable(lastFailure) : .ended
            actions.append(.finish(entry.call, .failure(failure)))
            return true
        }
        return actions
    }

    private static func unreachable(_ failure: LinkFailure) -> LinkFailure {
        switch failure {
        case .unreachable, .corrupted: failure
        default: .unreachable(reason: "the connection ended and no new one came about")
        }
    }
}

extension Epoch {
    /// Whether nobody was asked to sign in between the epoch `asked` and this one, or has signed in.
    ///
    /// A sign-in takes a number when it begins, and its end another: one that came to nothing leaves a distance of two.
    fileprivate func leavesUnasked(_ asked: Epoch) -> Bool {
        self == asked || counter == asked.counter.addingReportingOverflow(1).partialValue
    }
}
