// SPDX-License-Identifier: Apache-2.0
internal import NIOHTTP1
package import Redaction

/// What the one browser of a ``LoopbackServer`` asks for.
package enum LoopbackRequest: Sendable {
    /// The start address.
    case start
    /// A page below the origin; `query` is what follows the question mark, still encoded.
    case get(path: String, query: String?)
    /// A form that a page of this origin sent.
    case post(path: String, form: SecretBytes)
}

/// What a ``LoopbackServer`` answers; no cache keeps it.
package struct LoopbackResponse: Sendable {
    let status: HTTPResponseStatus
    let page: String
    /// The fields that this page has beyond those of every page.
    let headers: [(String, String)]

    private init(_ status: HTTPResponseStatus, _ page: String, headers: [(String, String)]) {
        (self.status, self.page, self.headers) = (status, page, headers)
    }

    /// A page, which brings its policy in `headers`.
    package static func page(_ text: String, headers: [(String, String)]) -> LoopbackResponse {
        LoopbackResponse(.ok, text, headers: headers)
    }

    /// Sends the browser to another address.
    static func redirect(to address: String) -> LoopbackResponse {
        LoopbackResponse(.found, LoopbackPage.onTheWay, headers: LoopbackPage.headers + [("Location", address)])
    }

    /// What every other program is told, and the browser about an address that is not there.
    static let notFound = LoopbackResponse(.notFound, LoopbackPage.unknown, headers: LoopbackPage.headers)
}
