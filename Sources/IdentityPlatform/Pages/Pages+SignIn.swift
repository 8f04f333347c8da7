// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import WebPages

extension Pages {
    /// The content of the sign-in page.
    struct SignIn {
        let client: String
        let action: String
        /// The query of the authorisation request.
        let request: String
        let csrf: String
        let username: String
        let alert: OAuthError?
        /// The name of the shared device that shows the page; nil if no known device shows it.
        var device: String?
        /// Whether the page's form can be posted to choose another language.
        var offersLanguages = false

        fileprivate var fields: [Field] { [("csrf", csrf), ("request", request)] }
    }

    /// Returns the page that asks for name and password.
    ///
    /// - Parameter redirect: the redirect target that the page's policy must allow; nil if the response does not leave
    ///   this host.
    func signIn(
        _ content: SignIn, in setting: PageSetting, redirect: RedirectURI?, status: HTTPResponse.Status
    ) -> Response {
        let language = setting.language
        var page = page(texts.text(.signIn, in: language), in: setting, hasFields: true)
        page.device = content.device.map { texts.text(.onDevice, in: language, ["device": $0]) }
        if content.offersLanguages { page.footer = languages(content, current: language) }
        let (first, second): (HTML, HTML) = content.username.isEmpty ? (" autofocus", "") : ("", " autofocus")
        let hint = setting.tenant.map { texts.text(.userNameHint, in: language, ["domain": $0.domain]) }
        let text = page.text(
            """
            <p>\(texts.text(.toContinue, in: language, ["app": content.client]))</p>
            \(content.alert.map { alert($0, in: language) })
            <form method="post" action="\(content.action)">
            \(Self.hidden(content.fields))<label for="username">\(texts.text(.userName, in: language))</label>
            <input id="username" name="username" type="text" dir="ltr" inputmode="email" autocomplete="username" \
            autocapitalize="none" spellcheck="false" required maxlength="256" aria-describedby="username-hint" \
            value="\(content.username)"\(first)>
            <p class="hint" id="username-hint">\(hint ?? "")</p>
            <label for="password">\(texts.text(.password, in: language))</label>
            <input id="password" name="password" type="password" dir="ltr" autocomplete="current-password" required \
            maxlength="256"\(second)>
            <button type="submit">\(texts.text(.signIn, in: language))</button>
            </form>
            """)
        return response(text, status: status, formAction: "'self' \(redirect?.policySource ?? "")")
    }

    /// Returns the form for choosing a language. It works without scripts.
    private func languages(_ content: SignIn, current: Language) -> HTML {
        let choices = Language.allCases.map { language in
            """
            <button type="submit" name="language" value="\(language.rawValue)" lang="\(language.rawValue)" \
            dir="\(language.direction.rawValue)"\(language == current ? " aria-current=\"true\"" : "" as HTML)>\
            \(language.ownName)</button>

            """ as HTML
        }
        return """
            <details><summary>\(texts.text(.language, in: current)): \(current.ownName)</summary>
            <form method="post" action="\(content.action)">
            \(Self.hidden(content.fields + [("username", content.username)]))\(choices)</form>
            </details>
            """
    }
}

extension Tenant {
    /// Returns the user name for a typed text. If the text contains no domain, the organisation's domain is added.
    func userName(typed text: String) -> String {
        let name = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        return name.isEmpty || name.contains("@") ? name : "\(name)@\(domain)"
    }
}
