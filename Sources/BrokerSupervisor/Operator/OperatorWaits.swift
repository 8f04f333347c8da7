// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
package import BrokerIPC
internal import Synchronization

/// The operator who waits for the worker to set a PIN for offline sign-in; one at a time.
package struct PINRequest {
    private var waiting: (@Sendable (OperatorReply) -> Void)?

    package init() {}

    /// Begins a request, or refuses it.
    ///
    /// - Returns: whether the session process is to show the page.
    package mutating func begin(isSignedIn: Bool, answer: @escaping @Sendable (OperatorReply) -> Void) -> Bool {
        guard isSignedIn, waiting == nil else {
            answer(.failed(isSignedIn ? .pinRunning : .pinNeedsWorker))
            return false
        }
        waiting = answer
        return true
    }

    /// Answers who waits: a PIN is set, or why it is not.
    package mutating func settle(_ failure: OperatorFailure?) {
        waiting?(failure.map { .failed($0) } ?? .done)
        waiting = nil
    }
}

/// How often the device has changed, and the operators who wait until apps are served by one of these changes.
package struct DeviceChanges {
    package private(set) var newest: UInt64 = 0
    private var waiting: [(change: UInt64, answer: @Sendable () -> Void)] = []

    package init() {}

    /// Counts one more change.
    package mutating func next() -> UInt64 {
        newest += 1
        return newest
    }

    /// Answers when the newest change is known where apps are served.
    package mutating func whenKnown(_ answer: @escaping @Sendable () -> Void) { waiting.append((newest, answer)) }

    /// Answers everybody who waits for this change or an older one.
    package mutating func known(_ change: UInt64) {
        let known = waiting.prefix { $0.change <= change }
        waiting.removeFirst(known.count)
        for entry in known { entry.answer() }
    }
}

/// An operator's answer, of which only the first one is sent.
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
