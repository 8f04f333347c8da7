// SPDX-License-Identifier: Apache-2.0

/// An error in a value for the browser's configuration, with its cause and its remedy.
package struct BrowserConfigurationFailure: Error, Equatable, CustomStringConvertible {
    /// Stable codes, one per kind of value.
    package enum Code: String, Sendable, CaseIterable {
        /// A page's address is malformed, or no browser would open it.
        case address = "browser_address_invalid"
        /// Chromium or Firefox would silently ignore a pattern.
        case pattern = "browser_pattern_invalid"
        /// A blocked pattern takes precedence over an allowed pattern in Chromium, but not in Firefox.
        case patternConflict = "browser_pattern_conflict"
        /// A certificate is not DER, or is too short or too long.
        case certificate = "browser_certificate_invalid"
        /// A list has too many entries, or all patterns together are too long.
        case listTooLong = "browser_list_too_long"
    }

    package let code: Code
    /// The cause, without a full stop. It does not contain the value.
    package let cause: String
    /// The remedy, in full sentences.
    package let remedy: String

    init(_ code: Code, _ cause: String, remedy: String) {
        self.code = code
        self.cause = cause
        self.remedy = remedy
    }

    package var description: String { "\(code.rawValue): \(cause). \(remedy)" }
}
