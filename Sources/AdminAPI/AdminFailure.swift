// SPDX-License-Identifier: Apache-2.0

/// What an administration call answers when it is refused: `{"error":{"code","message","remedy"}}`.
package struct AdminFailure: Error, Codable, Sendable {
    package let error: Reason

    package init(code: String, message: String, remedy: String) {
        error = Reason(code: code, message: message, remedy: remedy)
    }

    /// A stable code, its cause, and what to do.
    package struct Reason: Codable, Sendable {
        package let code: String
        package let message: String
        package let remedy: String
    }
}
