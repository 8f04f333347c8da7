// SPDX-License-Identifier: Apache-2.0
internal import NIOHTTP1
internal import OAuth
internal import WebPages

/// The page that a browser shows after a sign-in for the command line.
enum RedirectPage {
    case done, unknown

    var status: HTTPResponseStatus { self == .done ? .ok : .notFound }

    var text: String {
        let (title, text): (String, String) =
            switch self {
            case .done: ("Return to the terminal", "The command there says whether you are signed in. Close this page.")
            case .unknown: ("Nothing here", "This address is not part of a sign-in.")
            }
        return FormPage(title, in: .english, loading: .init(stylesheets: [Self.stylesheet])).text("<p>\(text)</p>")
    }

    /// The stylesheet is part of the page, because nothing is served after it.
    private static let stylesheet = "data:text/css;base64," + Base64.encode(PageFiles.stylesheet)

    static let headers = [
        ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"), ("Connection", "close"),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        ),
    ]
}
