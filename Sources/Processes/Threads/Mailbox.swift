// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// A queue between threads: any thread posts, one thread takes.
package final class Mailbox<Message: Sendable>: Sendable {
    private let messages = Mutex(FirstInFirstOut<Message>())
    private let count = DispatchSemaphore(value: 0)

    package init() {}

    /// Adds a message; never blocks.
    package func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        count.signal()
    }

    /// Waits for the oldest message and takes it.
    package func take() -> Message {
        while true {
            count.wait()
            if let message = messages.withLock({ $0.popFirst() }) { return message }
        }
    }
}
