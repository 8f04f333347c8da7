// SPDX-License-Identifier: Apache-2.0
internal import WebPages

/// The broker's own page for offline sign-in. It contains no names, and loads only files that the broker serves.
package enum OfflinePage {
    /// The credential that the page asks for.
    package enum Secret: Sendable, Equatable {
        case password, pin, either

        fileprivate var label: BrokerText {
            switch self {
            case .password: .password
            case .pin: .pin
            case .either: .passwordOrPIN
            }
        }
    }

    /// The purpose of a page.
    package enum Purpose: Sendable, Equatable {
        /// Signing in without the server.
        case signIn(by: Secret)
        /// Setting a PIN for offline sign-in, while the server can be reached.
        case newPIN

        fileprivate var title: BrokerText { self == .newPIN ? .setPIN : .offlineSignIn }

        fileprivate func buttons(_ language: Language) -> HTML {
            switch self {
            case .signIn: "<button type=\"submit\">\(BrokerText.signIn.text(in: language))</button>"
            case .newPIN:
                """
                <button type="submit">\(BrokerText.setPIN.text(in: language))</button>
                <button class="other" type="submit" name="later" value="1" formnovalidate>\
                \(BrokerText.notNow.text(in: language))</button>
                """
            }
        }

        fileprivate func fields(_ language: Language) -> HTML {
            switch self {
            case .signIn(let secret):
                """
                <label for="name">\(BrokerText.userName.text(in: language))</label>
                <input id="name" name="name" dir="ltr" required maxlength="256" autocomplete="username" \
                autocapitalize="none" spellcheck="false" autofocus>
                <label for="secret">\(secret.label.text(in: language))</label>
                <input id="secret" name="secret" type="password" dir="ltr" required maxlength="256" \
                autocomplete="current-password">
                """
            case .newPIN:
                "\(Self.digits("secret", .newPIN, in: language))\(Self.digits("again", .samePINAgain, in: language))"
            }
        }

        private static func digits(_ name: String, _ label: BrokerText, in language: Language) -> HTML {
            """
            <label for="\(name)">\(label.text(in: language))</label>
            <input id="\(name)" name="\(name)" type="password" dir="ltr" required maxlength="32" inputmode="numeric" \
            autocomplete="new-password">

            """
        }
    }

    /// The message above the form.
    package enum Notice: Sendable, CaseIterable {
        case none, wrong, clock
        /// The device's TPM refuses every PIN for a while, or does not answer.
        case chipLocked, chipSilent
        /// Why a PIN was not set.
        case pinsDiffer, pinShape, pinTrivial, pinNotKept, pinLate

        /// The message's role for screen readers (WAI-ARIA 1.2).
        fileprivate var role: String { self == .none ? "status" : "alert" }

        fileprivate func texts(_ purpose: Purpose) -> [BrokerText] {
            /// The text that offers another way to sign in if the PIN was not judged.
            let alternative: BrokerText = purpose == .signIn(by: .pin) ? .tryLater : .usePassword
            return switch self {
            case .none where purpose == .newPIN: [.aboutPINs]
            case .none where purpose == .signIn(by: .pin): [.serverAwayPIN]
            case .none: [.serverAway]
            case .wrong: [.wrong]
            case .clock: [.clock]
            case .chipLocked: [.chipLocked, alternative]
            case .chipSilent: [.chipSilent, alternative]
            case .pinsDiffer: [.pinsDiffer]
            case .pinShape: [.pinShape]
            case .pinTrivial: [.pinTrivial]
            case .pinNotKept: [.pinNotKept]
            case .pinLate: [.pinLate]
            }
        }
    }

    /// The page with the form.
    ///
    /// - Parameters:
    ///   - action: the path that the form is posted to, used only for this form.
    ///   - token: the token that the post must contain.
    static func form(
        _ purpose: Purpose, in language: Language, action: String, token: String, notice: Notice
    ) -> String {
        let title = purpose.title.text(in: language)
        var page = FormPage(title, in: language, loading: LoopbackFile.addressesOfForm)
        page.keyboard = try? KeyboardText.catalogue.get()
        let message = notice.texts(purpose).map { $0.text(in: language) }.joined(separator: " ")
        return page.text(
            """
            <p role="\(notice.role)">\(message)</p>
            <form method="post" action="/\(action)">
            <input type="hidden" name="token" value="\(token)">
            \(purpose.fields(language))
            \(purpose.buttons(language))</form>
            """)
    }

    /// The page after success.
    static func done(_ purpose: Purpose, in language: Language) -> String {
        switch purpose {
        case .signIn: text(.signedIn, .offlineText, in: language)
        case .newPIN: text(.pinSet, .pinSetText, in: language)
        }
    }

    /// The page for a person who declined to set a PIN.
    static func declined(in language: Language) -> String { text(.noPIN, .noPINText, in: language) }

    /// A page without a form.
    private static func text(_ title: BrokerText, _ text: BrokerText, in language: Language) -> String {
        FormPage(title.text(in: language), in: language, loading: LoopbackFile.addresses)
            .text("<p>\(text.text(in: language))</p>")
    }
}
