// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// A queue between threads: any thread posts, one thread takes.
package final class Mailbox<Message: Sendable>: Sendable {
    private struct Entry {
        let message: Message
        /// Gets a place back when the message is taken.
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

    /// A way into a mailbox for somebody outside, of whose messages only so many wait there at once.
    package struct Intake: Sendable {
        private let mailbox: Mailbox
        private let places: DispatchSemaphore

        fileprivate init(_ mailbox: Mailbox, capacity: Int) {
            self.mailbox = mailbox
            // Counted up from zero: one that is let go with fewer places than it began with would stop the process.
            places = DispatchSemaphore(value: 0)
            for _ in 0..<capacity { places.signal() }
        }

        /// Adds a message; blocks while as many as there are places have not been taken.
        package func post(_ message: Message) {
            places.wait()
            mailbox.append(Entry(message: message, intake: places))
        }
    }

    /// A new way in, for one sender.
    ///
    /// - Parameter capacity: messages of this sender that may wait at once.
    package func intake(capacity: Int) -> Intake { Intake(self, capacity: capacity) }
}
