// SPDX-License-Identifier: Apache-2.0

/// A queue whose operations take amortized constant time.
package struct Queue<Element> {
    private var arrived: [Element] = []
    /// The older elements, with the oldest last.
    private var leaving: [Element] = []

    package init() {}

    package mutating func append(_ element: Element) { arrived.append(element) }

    /// Removes and returns the oldest element; nil if the queue is empty.
    package mutating func popFirst() -> Element? {
        if leaving.isEmpty { (leaving, arrived) = (arrived.reversed(), []) }
        return leaving.popLast()
    }
}
