// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// A queue between threads: any thread may post, one thread takes.
package final class Mailbox<Message: Sendable>: Sendable {
    private struct Entry {
        let message: Message
        /// Signalled when the message is taken.
        let intake: DispatchSemaphore?
    }

    private let messages = Mutex(Queue<Entry>())
    private let count = DispatchSemaphore(value: 0)

    package init() {}

    /// Adds a message; never blocks.
    package func post(_ message: Message) { append(Entry(message: message, intake: nil)) }

    private func append(_ entry: Entry) {
        messages.withLock { $0.append(entry) }
        count.signal()
    }

    /// Waits for the oldest message and takes it.
    package func take() -> Message {
        while true {
            count.wait()
            guard let entry = messages.withLock({ $0.popFirst() }) else { continue }
            entry.intake?.signal()
            return entry.message
        }
    }

    /// Adds messages to a mailbox for one sender and limits how many of them wait there at once.
    package struct Intake: Sendable {
        private let mailbox: Mailbox
        private let places: DispatchSemaphore

        fileprivate init(_ mailbox: Mailbox, capacity: Int) {
            self.mailbox = mailbox
            // The semaphore is counted up from zero, because the process crashes if a semaphore is deallocated while
            // its count is below its initial value.
            places = DispatchSemaphore(value: 0)
            for _ in 0..<capacity { places.signal() }
        }

        /// Adds a message; blocks while `capacity` messages of this sender have not been taken.
        package func post(_ message: Message) {
            places.wait()
            mailbox.append(Entry(message: message, intake: places))
        }
    }

    /// Returns a new intake for one sender.
    ///
    /// - Parameter capacity: the number of the sender's messages that may wait at once.
    package func intake(capacity: Int) -> Intake { Intake(self, capacity: capacity) }
}
