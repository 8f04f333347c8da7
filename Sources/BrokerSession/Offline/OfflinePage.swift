// SPDX-License-Identifier: Apache-2.0

/// The broker's own page for offline sign-in. It contains no names, runs no script and loads nothing.
package enum OfflinePage {
    /// The credential that the page asks for.
    package enum Secret: Sendable, Equatable {
        case password, pin, either

        fileprivate var label: String {
            switch self {
            case .password: "Password"
            case .pin: "PIN"
            case .either: "Password or PIN"
            }
        }
    }

    /// The purpose of a page.
    package enum Purpose: Sendable, Equatable {
        /// Signing in without the server.
        case signIn(by: Secret)
        /// Setting a PIN for offline sign-in, while the server can be reached.
        case newPIN

        fileprivate var title: String { self == .newPIN ? "Set a PIN" : "Sign in without the server" }

        fileprivate var buttons: String {
            switch self {
            case .signIn: "<button type=\"submit\">Sign in</button>"
            case .newPIN:
                """
                <button type="submit">Set PIN</button>
                <button class="later" type="submit" name="later" value="1" formnovalidate>Not now</button>
                """
            }
        }

        fileprivate var fields: String {
            switch self {
            case .signIn(let secret):
                """
                <label for="name">User name</label>
                <input id="name" name="name" required maxlength="256" autocomplete="username" autocapitalize="none">
                <label for="secret">\(secret.label)</label>
                <input id="secret" name="secret" type="password" required maxlength="256" autocomplete="current-password">
                """
            case .newPIN: Self.digits("secret", "New PIN") + Self.digits("again", "The same PIN again")
            }
        }

        private static func digits(_ name: String, _ label: String) -> String {
            """
            <label for="\(name)">\(label)</label>
            <input id="\(name)" name="\(name)" type="password" required maxlength="32" inputmode="numeric"
            autocomplete="new-password">

            """
        }
    }

    /// The message above the form.
    package enum Notice: Sendable, CaseIterable {
        case none, wrong, clock
        /// The device's chip is locked against PINs for a while, or does not answer.
        case chipLocked, chipSilent
        /// Why a PIN was not set.
        case pinsDiffer, pinShape, pinTrivial, pinNotKept, pinLate

        /// The message's role for screen readers (WAI-ARIA 1.2).
        fileprivate var role: String { self == .none ? "status" : "alert" }

        fileprivate func text(_ purpose: Purpose) -> String {
            switch self {
            case .none where purpose == .newPIN: Self.aboutPINs
            case .none where purpose == .signIn(by: .pin):
                "The server cannot be reached. You can sign in if you have set a PIN on this device."
            case .none: "The server cannot be reached. You can sign in if you have signed in on this device today."
            case .wrong: "That is not right, or you cannot sign in here without the server."
            case .clock: "This device's clock cannot be trusted. Connect it to the network, then sign in."
            case .chipLocked:
                "This device takes no PIN for a while, after too many wrong ones. Yours was not looked at. \(Self.way(purpose))"
            case .chipSilent: "This device cannot check PINs now. Yours was not looked at. \(Self.way(purpose))"
            case .pinsDiffer: "The two are not the same. Type your PIN again, twice."
            case .pinShape: "A PIN has 6 to 32 digits, and nothing else."
            case .pinTrivial:
                "That PIN is one of the first that somebody would try: one digit only, digits in a row, or a few again and again."
            case .pinNotKept: "This PIN could not be kept. Try again, or ask whoever looks after the device."
            case .pinLate: "It is too long since you signed in. Sign out and in again to set a PIN."
            }
        }

        /// How a person can sign in although their PIN was not judged.
        private static func way(_ purpose: Purpose) -> String {
            purpose == .signIn(by: .pin)
                ? "Try again later, or connect the device to the network." : "Use your password, or try again later."
        }

        private static let aboutPINs =
            "With it you can sign in here when the server cannot be reached. Choose 6 digits or more that nobody would guess."
    }

    /// The page with the form.
    ///
    /// - Parameters:
    ///   - action: the path that the form is posted to, used only for this form.
    ///   - token: the token that the post must contain.
    ///   - nonce: the nonce that the page's policy requires of its style sheet.
    static func form(_ purpose: Purpose, action: String, token: String, nonce: String, notice: Notice) -> String {
        page(
            nonce: nonce, title: purpose.title,
            """
            <p role="\(notice.role)">\(notice.text(purpose))</p>
            <form method="post" action="/\(action)">
            <input type="hidden" name="token" value="\(token)">
            \(purpose.fields)
            \(purpose.buttons)</form>
            """)
    }

    /// The page after success.
    static func done(_ purpose: Purpose, nonce: String) -> String {
        switch purpose {
        case .signIn:
            text(
                nonce: nonce, title: "You are signed in",
                "Return to your app. Without the server there are no new data; what needs it waits until the network is back."
            )
        case .newPIN:
            text(
                nonce: nonce, title: "Your PIN is set",
                "It is good at this device, while the server cannot be reached. You can close this page.")
        }
    }

    /// The page for a person who declined to set a PIN.
    static func declined(nonce: String) -> String {
        text(
            nonce: nonce, title: "No PIN is set",
            "You are asked again when you sign in the next time. You can close this page.")
    }

    /// A page without a form.
    private static func text(nonce: String, title: String, _ text: String) -> String {
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
        label { margin-top: 1rem } input, button { padding: .6rem } button { margin-top: 1.5rem } .later { margin-top: .6rem; background: none; border: 0;
               color: inherit; text-decoration: underline }
        @media (prefers-color-scheme: dark) { body { background: #14212b; color: #f4f6f8 } }
        </style></head><body><main><h1>\(title)</h1>\(body)</main></body></html>
        """
    }
}
