// SPDX-License-Identifier: Apache-2.0

/// The broker's own page for a sign-in without the server. It names nobody, runs no script and loads nothing.
package enum OfflinePage {
    /// What the person is told above the form.
    package enum Notice: Sendable {
        case none, wrong, clock

        /// How programs that read a page aloud take it (WAI-ARIA 1.2).
        fileprivate var role: String { self == .none ? "status" : "alert" }

        fileprivate var text: String {
            switch self {
            case .none: "The server cannot be reached. You can sign in if you have signed in on this device today."
            case .wrong: "That is not right, or you cannot sign in here without the server."
            case .clock: "This device's clock cannot be trusted. Connect it to the network, then sign in."
            }
        }
    }

    /// The form.
    ///
    /// - Parameters:
    ///   - action: the path that it is posted to, of this attempt alone.
    ///   - token: what the post must bring back.
    ///   - nonce: what the page's one style sheet is let in by.
    static func form(action: String, token: String, nonce: String, notice: Notice) -> String {
        page(
            nonce: nonce, title: "Sign in without the server",
            """
            <p role="\(notice.role)">\(notice.text)</p>
            <form method="post" action="/\(action)">
            <input type="hidden" name="token" value="\(token)">
            <label for="name">User name</label>
            <input id="name" name="name" required maxlength="256" autocomplete="username" autocapitalize="none">
            <label for="secret">Password</label>
            <input id="secret" name="secret" type="password" required maxlength="256" autocomplete="current-password">
            <button type="submit">Sign in</button></form>
            """)
    }

    /// A page without a form.
    static func text(nonce: String, title: String, _ text: String) -> String {
        page(nonce: nonce, title: title, "<p>\(text)</p>")
    }

    private static func page(nonce: String, title: String, _ body: String) -> String {
        """
        <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
        <meta name="viewport" content="width=device-width, initial-scale=1"><style nonce="\(nonce)">
        body { font: 1.1rem/1.5 system-ui, sans-serif; margin: 0; min-height: 100vh; display: grid; place-items: center;
               background: #f4f6f8; color: #14212b }
        main { padding: 2rem; width: min(22rem, 90vw) } h1 { font-size: 1.6rem; margin: 0 0 .5rem }
        label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit }
        label { margin-top: 1rem } input, button { padding: .6rem } button { margin-top: 1.5rem }
        @media (prefers-color-scheme: dark) { body { background: #14212b; color: #f4f6f8 } }
        </style></head><body><main><h1>\(title)</h1>\(body)</main></body></html>
        """
    }
}
