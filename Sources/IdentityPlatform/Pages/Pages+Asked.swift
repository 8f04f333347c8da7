// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import WebPages

extension Pages {
    /// The content of a page that asks a signed-in person a question.
    struct Asked {
        let question: AskedPage.Question
        let client: String
        let action: String
        let person: String
        let username: String
        /// The access that the application requests.
        let scope: GrantedScope
        let fields: [Field]
        let alert: OAuthError?
    }

    /// Returns the page that asks which account to use, or whether to grant the application's request.
    ///
    /// - Parameter redirect: the redirect target that the page's policy must allow.
    func asked(
        _ content: Asked, in setting: PageSetting, redirect: RedirectURI, status: HTTPResponse.Status
    ) -> Response {
        let language = setting.language
        let title =
            content.question == .account
            ? texts.text(.chooseAccount, in: language)
            : texts.text(.allowTitle, in: language, ["app": content.client])
        let text = page(title, in: setting).text(
            """
            \(lead(content, in: language))
            \(content.alert.map { alert($0, in: language) })
            \(content.question == .consent ? permissions(content.scope, in: language) : nil)
            <form method="post" action="\(content.action)">
            \(Self.hidden(content.fields))\(choices(content, in: language))
            </form>
            """)
        return response(text, status: status, formAction: "'self' \(redirect.policySource)")
    }

    private func lead(_ content: Asked, in language: Language) -> HTML {
        switch content.question {
        case .account: "<p>\(texts.text(.toContinue, in: language, ["app": content.client]))</p>"
        case .consent: "<p>\(texts.text(.signedInAs, in: language, ["user": content.username]))</p>"
        }
    }

    private func choices(_ content: Asked, in language: Language) -> HTML {
        switch content.question {
        case .account:
            """
            <button type="submit" name="choice" value="yes" class="account" autofocus>\
            <strong>\(content.person)</strong><span dir="ltr">\(content.username)</span></button>
            <button type="submit" name="choice" value="no" class="other">\
            \(texts.text(.otherAccount, in: language))</button>
            """
        case .consent:
            """
            <button type="submit" name="choice" value="yes" autofocus>\(texts.text(.allow, in: language))</button>
            <button type="submit" name="choice" value="no" class="other">\
            \(texts.text(.doNotAllow, in: language))</button>
            """
        }
    }

    private func permissions(_ scope: GrantedScope, in language: Language) -> HTML {
        let known: [(scope: String, text: PageText)] = [
            (Scopes.openID, .accessIdentity), (Scopes.profile, .accessProfile), (Scopes.email, .accessEmail),
            (Scopes.offlineAccess, .accessOffline),
        ]
        let items =
            known.filter { scope.granted.contains($0.scope) }.map { texts.text($0.text, in: language) }
            + scope.permissions.map { texts.text(.accessPermission, in: language, ["name": $0]) }
        return """
            <p class="lead">\(texts.text(.asksFor, in: language))</p>
            <ul>\(items.map { "<li>\($0)</li>" as HTML })</ul>
            """
    }
}
