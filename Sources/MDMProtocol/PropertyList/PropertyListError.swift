// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a property list that Baton accepts, or why a value cannot be written as one.
package struct PropertyListError: Error, Equatable, CustomStringConvertible {
    /// Stable reasons.
    package enum Code: String, Sendable {
        /// A binary property list (`bplist00`). Only the XML form is supported.
        case binary = "plist_binary_unsupported"
        /// Not well-formed XML, or not UTF-8.
        case malformed = "plist_malformed"
        /// A document type other than Apple's, an internal subset, or an entity that XML itself does not define.
        case forbiddenDeclaration = "plist_forbidden_declaration"
        /// An element or attribute that property lists do not define, or one in the wrong place.
        case unexpectedElement = "plist_unexpected_element"
        /// An element whose text is not a value of its type.
        case invalidValue = "plist_invalid_value"
        case duplicateKey = "plist_duplicate_key"
        /// Too many bytes, too deep, too many objects, or too long a string.
        case limitExceeded = "plist_limit_exceeded"
        /// A string with characters that XML cannot represent, or a number that is not finite.
        case unrepresentable = "plist_unrepresentable"
    }

    package let code: Code
    /// The byte offset at which the reader stopped; 0 when writing.
    package let offset: Int

    package init(_ code: Code, at offset: Int = 0) {
        self.code = code
        self.offset = offset
    }

    package var description: String { "\(code.rawValue) at byte \(offset)" }
}
