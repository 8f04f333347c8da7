// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Mustache

extension Pages {
    /// Returns the page that asks for the device code.
    func deviceCode(
        to path: String, fields: [Field], typed: String, alert: String?,
        status: HTTPResponse.Status
    ) -> Response {
        var values = form(path, fields)
        values["typed"] = escaped(typed)
        if let alert { values["alert"] = escaped(alert) }
        return page(deviceCode.render(values), status: status, formAction: "'self'")
    }

    /// Returns the page that asks the person to confirm that they started the sign-in on the other device (RFC 8628
    /// section 5.4).
    func deviceQuestion(
        to path: String, fields: [Field], client: String, person: String, code: String
    ) -> Response {
        var values = form(path, fields)
        for (name, value) in ["client": client, "person": person, "code": code] { values[name] = escaped(value) }
        return page(deviceQuestion.render(values), formAction: "'self'")
    }

    static let deviceCodeBody = """
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

    static let deviceQuestionBody = """
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
