// SPDX-License-Identifier: Apache-2.0

/// A queue whose operations take amortized constant time.
struct Queue<Element> {
    private var arrived: [Element] = []
    /// The older elements, with the oldest last.
    private var leaving: [Element] = []

    mutating func append(_ element: Element) { arrived.append(element) }

    /// Removes and returns the oldest element; nil if the queue is empty.
    mutating func popFirst() -> Element? {
        if leaving.isEmpty { (leaving, arrived) = (arrived.reversed(), []) }
        return leaving.popLast()
    }
}
