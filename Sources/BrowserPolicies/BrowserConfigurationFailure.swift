// SPDX-License-Identifier: Apache-2.0

/// A value that no browser could follow: what is wrong with it, and what to write instead.
package struct BrowserConfigurationFailure: Error, Equatable, CustomStringConvertible {
    /// Stable codes, one per kind of value.
    package enum Code: String, Sendable, CaseIterable {
        /// An address of a page is none, or none that a browser would open.
        case address = "browser_address_invalid"
        /// A pattern of addresses is one that Chromium or Firefox would silently ignore.
        case pattern = "browser_pattern_invalid"
        /// A certificate is no DER of the size that certificates have.
        case certificate = "browser_certificate_invalid"
        /// A list has more entries than are allowed.
        case listTooLong = "browser_list_too_long"
    }

    package let code: Code
    /// What is wrong, without a full stop; holds the value's beginning only where an administrator wrote it.
    package let cause: String
    /// What to do about it, in sentences.
    package let remedy: String

    init(_ code: Code, _ cause: String, remedy: String) {
        self.code = code
        self.cause = cause
        self.remedy = remedy
    }

    package var description: String { "\(code.rawValue): \(cause). \(remedy)" }
}
