// SPDX-License-Identifier: Apache-2.0

/// The reason why a request got no complete answer. A complete answer is not an error here, whatever its status.
package struct HTTPSError: Error, Equatable, CustomStringConvertible {
    /// Stable reasons.
    package enum Code: String, Sendable {
        /// The URL is not an absolute https URL.
        case invalidURL = "https_invalid_url"
        /// Trust roots or client identity cannot be read.
        case invalidConfiguration = "https_invalid_configuration"
        /// There is no connection, or the connection broke before the answer was complete.
        case unreachable = "https_unreachable"
        /// The server's certificate was not accepted, or the server refused the client's certificate.
        case untrusted = "https_untrusted"
        /// The server took too long.
        case timeout = "https_timeout"
        /// The answer is larger than the caller allowed.
        case tooLarge = "https_too_large"
    }

    package let code: Code
    /// The cause, for developers. It contains no header, body or query.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Errors are equal when their codes are.
    package static func == (left: HTTPSError, right: HTTPSError) -> Bool { left.code == right.code }

    package var description: String { "\(code.rawValue): \(detail)" }
}
