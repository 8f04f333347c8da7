// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not JSON that Baton takes: a stable code and the place, nothing of the content.
package struct JSONFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Stable words for other programs.
    package enum Code: String, Sendable {
        /// Not JSON (RFC 8259).
        case malformed = "json_malformed"
        /// A string whose bytes are not UTF-8 (RFC 8259 section 8.1).
        case notUTF8 = "json_not_utf8"
        /// The same key twice in one object, which readers understand in different ways (RFC 8259 section 4).
        case duplicateKey = "json_duplicate_key"
        /// More bytes than ``JSONLimits/bytes``.
        case tooLong = "json_too_long"
        /// More levels than ``JSONLimits/depth``.
        case tooDeep = "json_too_deep"
        /// More values than ``JSONLimits/values``.
        case tooMany = "json_too_many"
        /// A string or number of more bytes than its limit.
        case textTooLong = "json_text_too_long"
        /// A number that no Double holds.
        case numberTooLarge = "json_number_too_large"
    }

    package let code: Code
    /// The byte at which it was seen, counted from 0.
    package let offset: Int

    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// Whether the text may well be JSON, but more of it than its reader takes.
    package var isOverLimit: Bool {
        switch code {
        case .tooLong, .tooDeep, .tooMany, .textTooLong: true
        case .malformed, .notUTF8, .duplicateKey, .numberTooLarge: false
        }
    }

    package var description: String { "\(code.rawValue) at byte \(offset)" }
}
