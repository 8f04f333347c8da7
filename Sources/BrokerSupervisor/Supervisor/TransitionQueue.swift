// SPDX-License-Identifier: Apache-2.0

/// Runs transitions of a state machine one after the other, in the order in which they were added.
///
/// A transition may add more transitions. They run after it has finished, so that none sees the half-finished work of
/// another. Each adds at most two others, which keeps the queue short.
package final class TransitionQueue {
    private var waiting: [() throws -> Void] = []
    private var isRunning = false

    package init() {}

    /// Adds a transition. If none is running, runs all transitions in the queue.
    ///
    /// - Throws: the error that a transition throws. The remaining ones are dropped.
    package func add(_ transition: @escaping () throws -> Void) throws {
        waiting.append(transition)
        guard !isRunning else { return }
        isRunning = true
        defer { (isRunning, waiting) = (false, []) }
        while !waiting.isEmpty { try waiting.removeFirst()() }
    }
}
