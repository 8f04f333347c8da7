// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import SessionIPC
internal import Synchronization

/// Owns the request of an operator who waits for the worker to set a PIN for offline sign-in. At most one operator
/// waits at a time.
package final class PINRequest {
    private var waiting: (@Sendable (OperatorReply) -> Void)?

    package init() {}

    /// Begins a request, or refuses it.
    ///
    /// - Returns: whether the session process must show the page.
    package func begin(isSignedIn: Bool, answer: @escaping @Sendable (OperatorReply) -> Void) -> Bool {
        guard isSignedIn, waiting == nil else {
            answer(.failed(isSignedIn ? .pinRunning : .pinNeedsWorker))
            return false
        }
        waiting = answer
        return true
    }

    /// Tells the waiting operator that the PIN was set, or why it was not.
    package func settle(_ failure: OperatorFailure?) {
        waiting?(failure.map { .failed($0) } ?? .done)
        waiting = nil
    }
}

/// Counts the changes of the device's state, and keeps each answer to an operator until the change applies to apps.
package struct DeviceChanges {
    package private(set) var newest: UInt64 = 0
    private var waiting: [(change: UInt64, answer: @Sendable () -> Void)] = []

    package init() {}

    /// Counts one more change and returns its number.
    package mutating func next() -> UInt64 {
        newest += 1
        return newest
    }

    /// Keeps an answer until the session process has received the newest change and serves the apps with it.
    package mutating func whenKnown(_ answer: @escaping @Sendable () -> Void) { waiting.append((newest, answer)) }

    /// Sends the answers that wait for this change or for an older change.
    package mutating func known(_ change: UInt64) {
        let known = waiting.prefix { $0.change <= change }
        waiting.removeFirst(known.count)
        for entry in known { entry.answer() }
    }
}

/// An operator's answer that is sent only once; later replies are dropped.
final class OneAnswer: Sendable {
    private let waiting: Mutex<(@Sendable (OperatorReply) -> Void)?>

    init(_ answer: @escaping @Sendable (OperatorReply) -> Void) { waiting = Mutex(answer) }

    @Sendable func give(_ reply: OperatorReply) {
        let answer = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        answer?(reply)
    }
}
