// SPDX-License-Identifier: Apache-2.0
internal import NIOHTTP1
package import Redaction

/// A request from the browser of a ``LoopbackServer``.
package enum LoopbackRequest: Sendable {
    /// The start address.
    case start
    /// A page below the origin; `query` is the part after the question mark, still encoded.
    case get(path: String, query: String?)
    /// A form submitted from a page of this origin.
    case post(path: String, form: SecretBytes)
}

/// The answer of a ``LoopbackServer``. It must not be cached.
package struct LoopbackResponse: Sendable {
    let status: HTTPResponseStatus
    let page: String
    /// The header fields of this page in addition to those of every page.
    let headers: [(String, String)]

    private init(_ status: HTTPResponseStatus, _ page: String, headers: [(String, String)]) {
        (self.status, self.page, self.headers) = (status, page, headers)
    }

    /// A page; `headers` contains its policy.
    package static func page(_ text: String, headers: [(String, String)]) -> LoopbackResponse {
        LoopbackResponse(.ok, text, headers: headers)
    }

    /// Redirects the browser to another address.
    static func redirect(to address: String) -> LoopbackResponse {
        LoopbackResponse(.found, LoopbackPage.onTheWay, headers: LoopbackPage.headers + [("Location", address)])
    }

    /// The answer to every other program, and to the browser for an unknown address.
    static let notFound = LoopbackResponse(.notFound, LoopbackPage.unknown, headers: LoopbackPage.headers)
}
