// SPDX-License-Identifier: Apache-2.0
internal import NIOHTTP1
package import Redaction
internal import WebPages

/// A request from the browser of a ``LoopbackServer``.
package enum LoopbackRequest: Sendable {
    /// The start address.
    case start
    /// A page below the origin; `query` is the part after the question mark, still encoded.
    case get(path: String, query: String?)
    /// A form submitted from a page of this origin.
    case post(path: String, form: SecretBytes)
}

/// An answer from a ``LoopbackServer``. It must not be cached.
package struct LoopbackResponse: Sendable {
    let status: HTTPResponseStatus
    let body: [UInt8]
    let mediaType: String
    /// The header fields that are sent in addition to those of every response.
    let headers: [(String, String)]

    private init(_ status: HTTPResponseStatus, _ page: String, headers: [(String, String)]) {
        (self.status, body, self.headers) = (status, Array(page.utf8), headers)
        mediaType = "text/html; charset=utf-8"
    }

    /// A request for a file that the pages use.
    init(_ file: LoopbackFile) {
        (status, body, mediaType, headers) = (.ok, file.bytes, file.mediaType, [])
    }

    /// A page; `headers` contains its Content Security Policy.
    package static func page(_ text: String, headers: [(String, String)]) -> LoopbackResponse {
        LoopbackResponse(.ok, text, headers: headers)
    }

    /// Redirects the browser to another address.
    static func redirect(to address: String, in language: Language) -> LoopbackResponse {
        LoopbackResponse(
            .found, LoopbackPage.opening.text(in: language), headers: LoopbackPage.headers + [("Location", address)])
    }

    /// One of the pages at the end of a sign-in.
    static func page(_ page: LoopbackPage, in language: Language) -> LoopbackResponse {
        LoopbackResponse(.ok, page.text(in: language), headers: LoopbackPage.headers)
    }

    /// The answer to every other program, and to the browser for an unknown address.
    static func notFound(in language: Language) -> LoopbackResponse {
        LoopbackResponse(.notFound, LoopbackPage.unknown.text(in: language), headers: LoopbackPage.headers)
    }
}
