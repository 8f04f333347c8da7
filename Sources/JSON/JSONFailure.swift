// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not acceptable JSON: a stable code and the position, without any content.
package struct JSONFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Stable codes for other programs.
    package enum Code: String, Sendable {
        /// The text is not JSON (RFC 8259).
        case malformed = "json_malformed"
        /// The bytes of a string are not UTF-8 (RFC 8259 section 8.1).
        case notUTF8 = "json_not_utf8"
        /// An object contains a key twice, which readers interpret differently (RFC 8259 section 4).
        case duplicateKey = "json_duplicate_key"
        /// The text is longer than ``JSONLimits/bytes``.
        case tooLong = "json_too_long"
        /// The nesting is deeper than ``JSONLimits/depth``.
        case tooDeep = "json_too_deep"
        /// There are more values than ``JSONLimits/values``.
        case tooMany = "json_too_many"
        /// A string or number is longer than its limit.
        case textTooLong = "json_text_too_long"
        /// A number is out of the range of Double.
        case numberTooLarge = "json_number_too_large"
    }

    package let code: Code
    /// The byte offset of the error, counted from 0.
    package let offset: Int

    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// Whether the text may be valid JSON that exceeds the reader's limits.
    package var isOverLimit: Bool {
        switch code {
        case .tooLong, .tooDeep, .tooMany, .textTooLong: true
        case .malformed, .notUTF8, .duplicateKey, .numberTooLarge: false
        }
    }

    package var description: String { "\(code.rawValue) at byte \(offset)" }
}
