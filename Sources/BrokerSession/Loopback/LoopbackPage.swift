// SPDX-License-Identifier: Apache-2.0

/// The pages shown in the browser at the end of a sign-in. They contain no names.
enum LoopbackPage {
    static let done = page("You are signed in", "Return to your app. Every app on this device knows you now.")
    static let refused = page("You are not signed in", "Return to your app and try again.")
    static let onTheWay = page("One moment", "The sign-in page is opening.")
    static let unknown = page("Nothing here", "This address is not part of a sign-in.")

    /// The header fields of these pages.
    static let headers = [
        ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
        ("Referrer-Policy", "no-referrer"),
    ]

    /// The header field with which a page asks the browser's extension to close its window after a moment. The person has
    /// nothing to do there any more.
    static let closing = ("X-Baton-Close", "1")

    private static func page(_ title: String, _ text: String) -> String {
        """
        <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
        <meta name="viewport" content="width=device-width, initial-scale=1"><style>
        body { font: 1.1rem/1.5 system-ui, sans-serif; margin: 0; min-height: 100vh; display: grid; place-items: center;
               background: #f4f6f8; color: #14212b }
        main { text-align: center; padding: 2rem } h1 { font-size: 1.6rem; margin: 0 0 .5rem }
        @media (prefers-color-scheme: dark) { body { background: #14212b; color: #f4f6f8 } }
        </style></head><body><main><h1>\(title)</h1><p>\(text)</p></main></body></html>
        """
    }
}
