// SPDX-License-Identifier: Apache-2.0

/// The changes of worker that one reader is told of. The first element of each loop says who is signed in, or that
/// nobody is.
///
/// A change counts as handled when the reader asks for the next one. A change that it has not handled is reported
/// again, even after a restart of the app. A reader that has missed several changes gets a single change, from the
/// worker whom it last saw to the present worker. The device remembers for 24 hours whom a reader has seen.
public struct WorkerChanges: AsyncSequence, Sendable {
    public typealias Element = WorkerChange

    let handover: Handover
    let reader: String

    public func makeAsyncIterator() -> Iterator {
        Iterator(handover: handover, reader: reader, loop: handover.restart(reader))
    }

    /// Waits for one change after the other.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let handover: Handover
        fileprivate let reader: String
        fileprivate let loop: UInt64

        /// Waits for the next change and returns it; nil if the task is cancelled, if the ``Handover`` object is
        /// closed, if another loop over the changes of the same reader has begun, or if another task has begun to wait
        /// in this loop.
        public func next() async -> WorkerChange? {
            // A cancelled task may not have handled the last change.
            guard !Task.isCancelled else { return nil }
            let number = handover.newWait()
            return await withTaskCancellationHandler {
                await withCheckedContinuation { handover.wait(number, in: loop, for: reader, $0) }
            } onCancel: {
                handover.stopWaiting(number, for: reader)
            }
        }
    }
}
