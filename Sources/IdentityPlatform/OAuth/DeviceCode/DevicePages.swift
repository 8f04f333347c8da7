// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Mustache

/// The pages at which a person answers for another screen, compiled once.
struct DevicePages: Sendable {
    private let code: MustacheTemplate
    private let question: MustacheTemplate

    init() throws {
        code = try Pages.template(Self.codeBody)
        question = try Pages.template(Self.questionBody)
    }

    /// Asks for the code that the other screen shows.
    func code(
        _ pages: Pages, to path: String, fields: [Pages.Field], typed: String, alert: String?,
        status: HTTPResponse.Status
    ) -> Response {
        var values = pages.form(path, fields)
        values["typed"] = pages.escaped(typed)
        if let alert { values["alert"] = pages.escaped(alert) }
        return pages.page(code.render(values), status: status, formAction: "'self'")
    }

    /// Asks whether it is the person who sits at the other screen (RFC 8628 section 5.4).
    func question(
        _ pages: Pages, to path: String, fields: [Pages.Field], client: String, person: String, code: String
    ) -> Response {
        var values = pages.form(path, fields)
        for (name, value) in ["client": client, "person": person, "code": code] { values[name] = pages.escaped(value) }
        return pages.page(question.render(values), formAction: "'self'")
    }

    private static let codeBody = """
        <title>Enter code</title></head><body><main>
        <h1>Enter code</h1>
        <p>Type the code that the other device or program shows.</p>
        {{#alert}}<div role="alert">{{{.}}}</div>{{/alert}}
        <form method="post" action="{{{target}}}">
        {{#fields}}<input type="hidden" name="{{{name}}}" value="{{{value}}}">{{/fields}}
        <label for="user_code">Code</label>
        <input id="user_code" name="user_code" type="text" autocomplete="off" autocapitalize="characters" \
        spellcheck="false" required maxlength="32" value="{{{typed}}}" autofocus>
        <button type="submit">Next</button>
        </form>
        </main></body>
        """

    private static let questionBody = """
        <title>Sign in to {{{client}}}?</title></head><body><main>
        <h1>Sign in to {{{client}}}?</h1>
        <p>The device or program that shows the code {{{code}}} will be signed in as {{{person}}}. Go on only if you have
        started it yourself: whoever sent you a code to type here wants to use your account.</p>
        <form method="post" action="{{{target}}}">
        {{#fields}}<input type="hidden" name="{{{name}}}" value="{{{value}}}">{{/fields}}
        <button type="submit" name="choice" value="no" autofocus>Cancel</button>
        <button type="submit" name="choice" value="yes">Continue</button>
        </form>
        </main></body>
        """
}
