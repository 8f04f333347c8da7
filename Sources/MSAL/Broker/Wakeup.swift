// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// Lets one thread sleep until another thread wakes it. If the sleeping thread is woken several times before it runs,
/// that counts as one wake-up.
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

    /// Sleeps until ``raise()``, which may have been called already.
    func wait() {
        semaphore.wait()
        isRaised.withLock { $0 = false }
    }
}

extension Duration {
    /// The duration in seconds, for Dispatch.
    var timeInterval: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// The duration in whole milliseconds, at least 1, for the kernel.
    var milliseconds: Int32 { Int32(max(1, min(timeInterval * 1000, 1e9))) }
}
