// SPDX-License-Identifier: Apache-2.0

/// The limits for one JSON text. Code that reads untrusted bytes defines them in one place for each kind of text.
package struct JSONLimits: Sendable, Equatable {
    /// The maximum length of the whole text in bytes.
    package let bytes: Int
    /// The maximum nesting depth of objects and arrays.
    package let depth: Int
    /// The maximum number of values: members, elements, and the objects and arrays that contain them.
    package let values: Int
    /// The maximum length of one string or key in bytes, as written.
    package let stringBytes: Int

    /// The maximum length of one number in bytes, as written; a Double needs at most 25.
    static let numberBytes = 128

    /// Makes limits; the defaults are 16 levels and 4096 values.
    ///
    /// - Parameter stringBytes: nil applies only the limit of the whole text.
    package init(bytes: Int, depth: Int = 16, values: Int = 4096, stringBytes: Int? = nil) {
        self.bytes = bytes
        self.depth = depth
        self.values = values
        self.stringBytes = stringBytes ?? bytes
    }
}
