// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import MSAL

/// What one reader was told, and what it must be told next.
struct ReaderState: Hashable {
    /// The broker's answer to a reader.
    struct Answer: Sendable, Hashable {
        let current: MSALAccount?
        /// The account that the broker still reports as the previous one.
        let previous: MSALAccount?
        let epoch: Epoch
    }

    /// What to tell the broker when the reader has handled a change.
    struct Receipt: Sendable, Hashable {
        let epoch: Epoch
        let previous: String
    }

    /// A change that waits for the reader, and what to tell the broker once it is handled.
    private struct Waiting: Hashable {
        let change: WorkerChange
        let receipt: Receipt?
    }

    /// The record of a change that the reader was told of. It contains nothing about a person.
    private struct Told: Hashable {
        let epoch: SessionEpoch?
        let hasWorker: Bool
        let unknown: UnknownReason?

        init(_ change: WorkerChange) {
            (epoch, hasWorker) = (change.epoch, change.current != nil)
            if case .unknown(let reason) = change.kind { unknown = reason } else { unknown = nil }
        }
    }

    /// Whether the broker must be asked who is signed in.
    var mustAsk = true
    /// An answer of the broker that the reader may not be given yet.
    private var held: Answer?
    /// Whether the reader waits for the next change.
    private(set) var isWaited = false
    private var waiting: Waiting?
    /// The change that the reader is handling or has handled, and what to tell the broker about this change.
    private var told: Told?
    private var receipt: Receipt?
    /// The identifier of the worker whom the reader was last told of.
    private var shown: MSALAccount?
    /// The identifiers of the workers whose departure the reader has handled, although the broker may not know this
    /// yet.
    private var handled: Set<String> = []

    /// The reader has handled the last change and wants the next one.
    ///
    /// - Returns: what to tell the broker about the last change; nil if there is nothing to tell.
    mutating func wantsNext() -> Receipt? {
        isWaited = true
        defer { receipt = nil }
        if let receipt { handled.insert(receipt.previous) }
        return receipt
    }

    /// The reader no longer waits.
    mutating func stopWaiting() { isWaited = false }

    /// A new loop over the changes has begun: its first change says who is signed in. Nothing is acknowledged.
    mutating func restart() {
        guard told != nil else { return }
        (told, receipt, waiting, held, isWaited, mustAsk) = (nil, nil, nil, nil, false, true)
    }

    /// Returns the next change if there is one and the reader waits for it.
    mutating func next() -> WorkerChange? {
        guard isWaited, let waiting else { return nil }
        (isWaited, self.waiting, told, receipt) = (false, nil, Told(waiting.change), waiting.receipt)
        switch waiting.change.kind {
        case .signedIn, .signedOut, .switched: shown = waiting.change.current.map(\.withoutPerson)
        case .unknown: break
        }
        return waiting.change
    }

    /// The connection has opened: the broker must be asked again who is signed in. A change that the reader has not
    /// taken may no longer be true.
    mutating func reconnect() { (mustAsk, held, waiting) = (true, nil, nil) }

    /// The connection has ended: an answer that was kept from the reader may no longer be true.
    mutating func disconnect() { held = nil }

    /// Keeps from the reader an answer that names a worker. If the reader was last told of another worker, it is told
    /// that nobody knows who is signed in.
    mutating func hold(_ answer: Answer, because reason: LinkFailure) {
        held = answer
        if let shown, shown != answer.current { lose(reason, isPassing: true) }
    }

    /// Records the answer that was kept from the reader, if there is one.
    ///
    /// - Returns: the same as ``learn(_:)``.
    mutating func release() -> Receipt? {
        defer { held = nil }
        return held.flatMap { learn($0) }
    }

    /// Records that nobody knows who is signed in.
    ///
    /// - Parameter isPassing: whether this state may be over in a moment; if nil, `failure` determines it.
    mutating func lose(_ failure: LinkFailure, isPassing: Bool? = nil) {
        let reason = UnknownReason(failure, isPassing: isPassing ?? failure.isPassing)
        let change = WorkerChange(kind: .unknown(reason), epoch: nil)
        waiting = told?.unknown == reason ? nil : Waiting(change: change, receipt: nil)
    }

    /// Records the broker's answer. It replaces a change that the reader has not taken yet.
    ///
    /// - Returns: what to tell the broker at once, because the reader has already handled the change; nil if there is
    ///   nothing to tell.
    mutating func learn(_ answer: Answer) -> Receipt? {
        let epoch = SessionEpoch(answer.epoch)
        let reported = answer.previous.flatMap { $0 == answer.current ? nil : $0 }
        let receipt = reported?.identifier.map { Receipt(epoch: answer.epoch, previous: $0) }
        if reported == nil { handled = [] }
        guard isNew(answer.current, in: epoch) else {
            waiting = nil
            // The broker still reports the change that the reader has already been told of.
            guard isWaited else {
                self.receipt = receipt
                return nil
            }
            return receipt
        }
        let unhandled = reported.flatMap { handled.contains($0.identifier ?? "") ? nil : $0 }
        let left = (shown.flatMap { $0 == answer.current ? nil : $0 } ?? unhandled).map(\.withoutPerson)
        let kind: WorkerChange.Kind =
            switch (answer.current, left) {
            case (let current?, let left?): .switched(from: left, to: current)
            case (let current?, nil): .signedIn(current)
            case (nil, let left): .signedOut(previous: left)
            }
        waiting = Waiting(change: WorkerChange(kind: kind, epoch: epoch), receipt: receipt)
        return nil
    }

    /// Whether the reader has not been told this yet. Within an epoch the worker never changes. Two consecutive epochs
    /// in which nobody is signed in are not a change.
    private func isNew(_ current: MSALAccount?, in epoch: SessionEpoch) -> Bool {
        guard let told, let known = told.epoch else { return true }
        return known != epoch && (current != nil || told.hasWorker)
    }
}

extension MSALAccount {
    /// The account with its identifier only, which is all that may be kept of a worker who has left.
    fileprivate var withoutPerson: MSALAccount {
        MSALAccount(identifier: identifier, username: nil, environment: environment)
    }
}
