// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes

/// The names of header fields for which HTTPTypes has no constant.
///
/// Each name is defined in one enumeration only, so code that misspells a name does not compile. A misspelt string literal
/// could name a different header, and a check could be skipped.
package protocol HeaderFieldName: RawRepresentable, CaseIterable, Sendable where RawValue == String {}

extension HeaderFieldName {
    /// The name as a value of the type that HTTPTypes uses.
    package var field: HTTPField.Name {
        guard let name = HTTPField.Name(rawValue) else { preconditionFailure("\(rawValue) is not a token (RFC 9110)") }
        return name
    }
}
