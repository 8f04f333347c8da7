// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// Starts a call and blocks the caller's thread until the outcome of the call arrives. The wait ends at the call's
/// deadline at the latest.
///
/// Outcomes arrive on a thread of the connection. That thread never waits for an app.
func waited<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) -> Value {
    let slot = Slot<Value>()
    start { slot.fill($0) }
    return slot.take()
}

/// Holds one value that another thread delivers.
private final class Slot<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isFull = DispatchSemaphore(value: 0)

    func fill(_ new: Value) {
        value.withLock { $0 = new }
        isFull.signal()
    }

    func take() -> Value {
        while true {
            isFull.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
