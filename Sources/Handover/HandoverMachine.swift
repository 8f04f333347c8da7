// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import MSAL

/// One process's part in the hand-over, as a pure state machine: its erasers, its readers of changes and its unsaved
/// work. Each event is a method that returns the actions to perform.
///
/// Rules: no reader is told of a worker while an eraser still has to erase something, or before the broker has agreed
/// to wait for each eraser at the next sign-out; an eraser reports only its own result; the broker keeps each change
/// that a reader has not handled.
struct HandoverMachine: Equatable {
    enum Action: Hashable {
        case askOwed(eraser: String)
        case erase(eraser: String, Epoch)
        case report(eraser: String, Epoch, EraserReport.Result)
        /// Call ``resend(_:)`` a little later.
        case reportLater(eraser: String)
        case register(eraser: String)
        case askAccount(reader: String)
        case acknowledge(reader: String, ReaderState.Receipt)
        case tell(reader: String, WorkerChange)
        case reportUnsaved(Bool)
        /// Run the app's blocks for the end of this epoch. The epoch ends after this many milliseconds at the latest.
        case prepare(Epoch, milliseconds: Int)
        case readyToEnd
        /// Notify the app that it may repeat requests that were refused because of a lock.
        case announceChange
    }

    /// An announced end of the session.
    private struct Ending: Hashable {
        let epoch: Epoch
        /// Whether the app's blocks have returned.
        var isPrepared = false
    }

    /// The epoch of the open connection; nil if there is none.
    private var epoch: Epoch?
    /// The epoch of the last connection.
    private var lastEpoch: Epoch?
    private(set) var erasers: [String: EraserState] = [:]
    /// For each eraser, the epoch of the connection on which the broker last asked the eraser to run its block.
    private var attempts: [String: Epoch] = [:]
    private(set) var readers: [String: ReaderState] = [:]
    private(set) var hasUnsavedWork = false
    /// The value of ``hasUnsavedWork`` that is being reported to the broker; nil if no report is under way.
    private var unsavedReport: Bool?
    private var ending: Ending?
    /// The epoch whose announced end the app's blocks are preparing for; nil if no block is running.
    private var preparing: Epoch?
    /// Why no connection could be opened; nil before the first attempt and while a connection is open.
    private var obstacle: LinkFailure?

    // MARK: What the app does

    mutating func add(eraser name: String) -> [Action] {
        erasers[name] = epoch == nil ? .unknown : .asking
        return epoch == nil ? [] : [.askOwed(eraser: name)]
    }

    mutating func add(reader name: String) -> [Action] {
        var reader = ReaderState()
        if let obstacle = obstacle ?? erasers.values.lazy.compactMap(\.obstacle).first { reader.lose(obstacle) }
        readers[name] = reader
        return askAccounts()
    }

    /// A reader has handled the last change and waits for the next one.
    mutating func wanted(by name: String) -> [Action] {
        let handled = readers[name]?.wantsNext().map { [Action.acknowledge(reader: name, $0)] } ?? []
        return handled + tell(name)
    }

    /// A new loop over a reader's changes has begun.
    mutating func restart(_ name: String) -> [Action] {
        readers[name]?.restart()
        if let obstacle { readers[name]?.lose(obstacle) }
        return askAccounts()
    }

    mutating func stopWaiting(_ name: String) { readers[name]?.stopWaiting() }

    mutating func setUnsaved(_ isUnsaved: Bool) -> [Action] {
        guard isUnsaved != hasUnsavedWork else { return [] }
        hasUnsavedWork = isUnsaved
        return reportUnsaved() + end()
    }

    /// The broker has answered a report of unsaved work, or the report has failed.
    mutating func reportedUnsaved() -> [Action] {
        guard let reported = unsavedReport else { return [] }
        unsavedReport = nil
        return reported == hasUnsavedWork ? [] : reportUnsaved()
    }

    /// Tells the broker about unsaved work, one report at a time, however often the app changes the value.
    private mutating func reportUnsaved() -> [Action] {
        guard epoch != nil, unsavedReport == nil else { return [] }
        unsavedReport = hasUnsavedWork
        return [.reportUnsaved(hasUnsavedWork)]
    }

    /// The app's blocks for the end of this epoch have returned.
    mutating func prepared(_ ended: Epoch) -> [Action] {
        if preparing == ended { preparing = nil }
        guard ending?.epoch == ended else { return [] }
        ending?.isPrepared = true
        return end()
    }

    /// Lets the session end if the app's blocks have returned and the app has no unsaved work.
    private mutating func end() -> [Action] {
        guard ending?.isPrepared == true, !hasUnsavedWork else { return [] }
        ending = nil
        return [.readyToEnd]
    }

    mutating func erased(_ name: String, of ended: Epoch, _ result: EraserReport.Result) -> [Action] {
        guard erasers[name] == .erasing(ended) else { return [] }
        erasers[name] = .reporting(ended, result)
        return [.report(eraser: name, ended, result)]
    }

    // MARK: What the broker says

    mutating func opened(_ epoch: Epoch) -> [Action] {
        // Unsaved work of a former worker is not unsaved work of the next worker.
        if let lastEpoch, lastEpoch != epoch { hasUnsavedWork = false }
        (self.epoch, lastEpoch, ending, obstacle, unsavedReport) = (epoch, epoch, nil, nil, nil)
        // A block that is still running is not started again, and a report that is under way is not sent again.
        let waiting = erasers.filter { !$0.value.isIndependent }.keys.sorted()
        erasers = erasers.mapValues(\.reopened)
        for name in readers.keys { readers[name]?.reconnect() }
        let unsaved = hasUnsavedWork ? reportUnsaved() : []
        return unsaved + waiting.flatMap(proceed) + askAccounts()
    }

    mutating func missed(_ failure: LinkFailure) -> [Action] {
        (epoch, ending, obstacle, unsavedReport) = (nil, nil, failure, nil)
        erasers = erasers.mapValues(\.disconnected)
        for name in readers.keys { readers[name]?.disconnect() }
        return lose(failure)
    }

    mutating func event(_ event: BrokerEvent) -> [Action] {
        switch event {
        case .idle: return []
        case .willEnd(let ended, let milliseconds):
            guard ended == epoch else { return [] }
            ending = Ending(epoch: ended)
            // If blocks still hang after an earlier announcement, no block is started again.
            guard preparing == nil else { return [] }
            preparing = ended
            return [.prepare(ended, milliseconds: milliseconds)]
        case .unlocked:
            // The broker may have refused an earlier request because of the lock, and that answer may still arrive.
            // Another process may have erased the data.
            for (name, state) in erasers where state.mayAskAgain { erasers[name] = .asking }
            for name in readers.keys { readers[name]?.reconnect() }
            return [.announceChange] + erasers.keys.sorted().filter { erasers[$0] == .asking }.flatMap(proceed)
                + askAccounts()
        }
    }

    mutating func owed(_ name: String, _ answer: Result<Epoch?, LinkFailure>) -> [Action] {
        change(name) { $0.owes(answer) }
    }

    mutating func registered(_ name: String, _ answer: Result<Void, LinkFailure>) -> [Action] {
        change(name) { $0.registered(answer) }
    }

    mutating func reported(_ name: String, of ended: Epoch, _ answer: Result<Void, LinkFailure>) -> [Action] {
        let again: [Action] =
            if case .failure(let failure) = answer, failure.isPassing { [.reportLater(eraser: name)] } else { [] }
        // If the worker has changed since the block was called, the block is called again, because no later event would
        // cause that.
        let next: EraserState? = epoch == nil ? .unknown : attempts[name] == epoch ? nil : .asking
        return change(name) { state in
            let reported = state.reported(ended, answer)
            return reported.obstacle == nil || reported == state ? reported : next ?? reported
        } + again
    }

    /// Repeats a report that did not arrive, unless it has already been repeated on a new connection.
    mutating func resend(_ name: String) -> [Action] { change(name) { $0.resent } }

    mutating func account(_ name: String, _ answer: Result<ReaderState.Answer, LinkFailure>) -> [Action] {
        var handled: ReaderState.Receipt?
        switch answer {
        // A reader may always be told that nobody is signed in.
        // If the answer names a worker of another epoch, that worker signed in before the erasers could register. This
        // connection is about to end.
        case .success(let answer) where answer.current != nil && answer.epoch != epoch: break
        case .success(let answer) where answer.current == nil || isSettled: handled = readers[name]?.learn(answer)
        case .success(let answer): readers[name]?.hold(answer, because: Self.unsettled)
        case .failure(.refused(let error)) where error.code == .appLocked && erasers.values.contains(where: \.isAtWork):
            readers[name]?.lose(.refused(error), isPassing: true)
        case .failure(let failure): readers[name]?.lose(failure)
        }
        return (handled.map { [.acknowledge(reader: name, $0)] } ?? []) + tell(name)
    }

    // MARK: Steps

    private mutating func change(_ name: String, _ body: (EraserState) -> EraserState) -> [Action] {
        guard let state = erasers[name] else { return [] }
        let changed = body(state)
        guard changed != state else { return [] }
        erasers[name] = changed
        if case .erasing = changed { attempts[name] = epoch }
        if let obstacle = changed.obstacle { return lose(obstacle) }
        return proceed(name) + (isSettled ? settled() : [])
    }

    /// Whether readers may be told of a worker.
    private var isSettled: Bool { erasers.values.allSatisfy(\.isSettled) }

    /// Why readers are not told of a worker yet.
    private static let unsettled = LinkFailure.refused(BrokerError(.appLocked, ""))

    /// Tells the readers who is signed in. Until now, the answer was kept from them.
    private mutating func settled() -> [Action] {
        readers.keys.sorted().flatMap { name in
            let handled = readers[name]?.release().map { [Action.acknowledge(reader: name, $0)] } ?? []
            return handled + tell(name)
        }
    }

    /// Returns the action that an eraser's state asks for.
    private func proceed(_ name: String) -> [Action] {
        switch erasers[name] {
        case .asking: [.askOwed(eraser: name)]
        case .erasing(let ended): [.erase(eraser: name, ended)]
        case .reporting(let ended, let result): [.report(eraser: name, ended, result)]
        case .registering: [.register(eraser: name)]
        case nil, .unknown, .unreported, .registered, .idle, .locked, .failed: []
        }
    }

    /// Asks who is signed in, for each reader that must ask.
    private mutating func askAccounts() -> [Action] {
        guard epoch != nil else { return [] }
        let asking = readers.filter(\.value.mustAsk).keys.sorted()
        for name in asking { readers[name]?.mustAsk = false }
        return asking.map { .askAccount(reader: $0) }
    }

    private mutating func lose(_ reason: LinkFailure) -> [Action] {
        for name in readers.keys { readers[name]?.lose(reason) }
        return readers.keys.sorted().flatMap { tell($0) }
    }

    private mutating func tell(_ name: String) -> [Action] {
        readers[name]?.next().map { [.tell(reader: name, $0)] } ?? []
    }
}
