// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Mustache
internal import OAuth

extension Pages {
    /// The content of a page that asks a signed-in person a question.
    struct Asked {
        let question: AskedPage.Question
        let tenant: String
        let client: String
        let action: String
        let person: String
        let username: String
        /// Descriptions of the access that the application requests.
        let permissions: [String]
        let fields: [Field]
        let alert: String?
    }

    /// Returns the page that asks which account to use, or whether to grant the application's request.
    ///
    /// - Parameter redirect: the redirect target that the page's policy must allow.
    func asked(_ content: Asked, redirect: RedirectURI, status: HTTPResponse.Status) -> Response {
        var values = form(content.action, content.fields)
        for (name, value) in [
            ("tenant", content.tenant), ("client", content.client), ("person", content.person),
            ("username", content.username),
        ] {
            values[name] = escaped(value)
        }
        values["permissions"] = content.permissions.map(escaped)
        if let alert = content.alert { values["alert"] = escaped(alert) }
        let template = content.question == .account ? account : consent
        return page(template.render(values), status: status, formAction: "'self' \(redirect.policySource)")
    }

    static let accountBody = """
        <title>Choose an account</title></head><body><main>
        <h1>Choose an account</h1>
        <p>{{{tenant}}}, to continue to {{{client}}}</p>
        {{#alert}}<div role="alert">{{{.}}}</div>{{/alert}}
        <form method="post" action="{{{target}}}">
        {{#fields}}<input type="hidden" name="{{{name}}}" value="{{{value}}}">{{/fields}}
        <button type="submit" name="choice" value="yes" class="account" autofocus>\
        <strong>{{{person}}}</strong><span>{{{username}}}</span></button>
        <button type="submit" name="choice" value="no" class="other">Use another account</button>
        </form>
        </main></body>
        """

    static let consentBody = """
        <title>Allow {{{client}}}?</title></head><body><main>
        <h1>Allow {{{client}}}?</h1>
        <p>{{{tenant}}}, signed in as {{{username}}}</p>
        {{#alert}}<div role="alert">{{{.}}}</div>{{/alert}}
        <p class="lead">It asks for:</p>
        <ul>{{#permissions}}<li>{{{.}}}</li>{{/permissions}}</ul>
        <form method="post" action="{{{target}}}">
        {{#fields}}<input type="hidden" name="{{{name}}}" value="{{{value}}}">{{/fields}}
        <button type="submit" name="choice" value="yes" autofocus>Allow</button>
        <button type="submit" name="choice" value="no" class="other">Do not allow</button>
        </form>
        </main></body>
        """
}

extension GrantedScope {
    /// Descriptions, for people, of the access that the application gets.
    var descriptions: [String] {
        let words = [
            (Scopes.openID, "to know who you are"), (Scopes.profile, "your name and user name"),
            (Scopes.email, "your e-mail address"), (Scopes.offlineAccess, "to go on until you sign out"),
        ]
        return words.filter { granted.contains($0.0) }.map(\.1) + permissions.map { "the permission \($0)" }
    }
}
