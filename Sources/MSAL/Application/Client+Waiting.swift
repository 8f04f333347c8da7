// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// Starts a call and blocks the caller's thread until its one outcome arrives; the call's deadline limits the wait.
///
/// Outcomes arrive on a thread of the connection, which never waits for an app.
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
