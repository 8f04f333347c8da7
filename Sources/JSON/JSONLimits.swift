// SPDX-License-Identifier: Apache-2.0

/// What one JSON text may hold; whoever reads foreign bytes says it in one place for each kind of text.
package struct JSONLimits: Sendable, Equatable {
    /// Bytes of the whole text.
    package let bytes: Int
    /// Levels of objects and lists.
    package let depth: Int
    /// Values in all: members, elements, and the objects and lists that hold them.
    package let values: Int
    /// Bytes of one string or key, as they are written.
    package let stringBytes: Int

    /// Bytes of one number, as they are written; the longest that a Double needs is 25.
    static let numberBytes = 128

    /// - Parameter stringBytes: nil where only the whole text is bounded.
    package init(bytes: Int, depth: Int = 16, values: Int = 4096, stringBytes: Int? = nil) {
        self.bytes = bytes
        self.depth = depth
        self.values = values
        self.stringBytes = stringBytes ?? bytes
    }
}
