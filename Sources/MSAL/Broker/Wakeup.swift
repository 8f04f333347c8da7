// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// Lets one thread sleep until it is woken or a time is over; waking it twice before it looks wakes it once.
final class Wakeup: Sendable {
    private let isRaised = Mutex(false)
    private let semaphore = DispatchSemaphore(value: 0)

    func raise() {
        let wasRaised = isRaised.withLock { raised in
            defer { raised = true }
            return raised
        }
        if !wasRaised { semaphore.signal() }
    }

    /// Sleeps until ``raise()``, or until `timeout` is over; nil waits without end.
    func wait(timeout: Duration?) {
        let limit = timeout.map { DispatchTime.now() + $0.timeInterval } ?? .distantFuture
        guard semaphore.wait(timeout: limit) == .success else { return }
        isRaised.withLock { $0 = false }
    }
}

extension Duration {
    /// Seconds, for Dispatch.
    var timeInterval: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
