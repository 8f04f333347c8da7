// SPDX-License-Identifier: Apache-2.0

/// Handles events one after the other, in the order in which they came.
///
/// Handling an event may add more. None of them is handled before the one that is being handled is done, so that no
/// event meets a half-finished one. Of each event at most one more follows, which keeps the queue short.
package final class EventQueue<Event> {
    private var waiting: [Event] = []
    private var isHandling = false

    package init() {}

    /// Adds an event and, unless one is being handled already, handles all there are.
    ///
    /// - Throws: what `handle` throws. The events behind that one are dropped.
    package func add(_ event: Event, handle: (Event) throws -> Void) rethrows {
        waiting.append(event)
        guard !isHandling else { return }
        isHandling = true
        defer { (isHandling, waiting) = (false, []) }
        while !waiting.isEmpty { try handle(waiting.removeFirst()) }
    }
}
