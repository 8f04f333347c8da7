// SPDX-License-Identifier: Apache-2.0

/// Handles events one after the other, in the order in which they were added.
///
/// Handling an event may add more events. They are handled after the current event is finished, so that no event sees
/// the half-finished work of another. Each event adds at most two other events, which keeps the queue short.
package final class EventQueue<Event> {
    private var waiting: [Event] = []
    private var isHandling = false

    package init() {}

    /// Adds an event. If no event is being handled, handles all events in the queue.
    ///
    /// - Throws: the error that `handle` throws. The remaining events are dropped.
    package func add(_ event: Event, handle: (Event) throws -> Void) rethrows {
        waiting.append(event)
        guard !isHandling else { return }
        isHandling = true
        defer { (isHandling, waiting) = (false, []) }
        while !waiting.isEmpty { try handle(waiting.removeFirst()) }
    }
}
