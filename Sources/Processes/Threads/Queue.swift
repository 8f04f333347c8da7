// SPDX-License-Identifier: Apache-2.0

/// A queue whose every step takes constant time on average, however long it is.
struct Queue<Element> {
    private var arrived: [Element] = []
    /// The older ones, the oldest last.
    private var leaving: [Element] = []

    mutating func append(_ element: Element) { arrived.append(element) }

    /// Takes the oldest one.
    mutating func popFirst() -> Element? {
        if leaving.isEmpty { (leaving, arrived) = (arrived.reversed(), []) }
        return leaving.popLast()
    }
}
