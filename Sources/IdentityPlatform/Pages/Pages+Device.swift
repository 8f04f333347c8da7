// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import WebPages

extension Pages {
    /// Returns the page that asks for the device code.
    func deviceCode(
        to path: String, fields: [Field], typed: String, alert: OAuthError?, in setting: PageSetting
    ) -> Response {
        let language = setting.language
        let text = page(texts.text(.enterCode, in: language), in: setting, hasFields: true).text(
            """
            <p>\(texts.text(.enterCodeText, in: language))</p>
            \(alert.map { self.alert($0, in: language) })
            <form method="post" action="\(path)">
            \(Self.hidden(fields))<label for="user_code">\(texts.text(.code, in: language))</label>
            <input id="user_code" name="user_code" type="text" dir="ltr" autocomplete="off" \
            autocapitalize="characters" spellcheck="false" required maxlength="32" value="\(typed)" autofocus>
            <button type="submit">\(texts.text(.next, in: language))</button>
            </form>
            """)
        return response(text, status: alert?.status ?? .ok, formAction: "'self'")
    }

    /// Returns the page that asks the person to confirm that they started the sign-in on the other device (RFC 8628
    /// section 5.4).
    func deviceQuestion(
        to path: String, fields: [Field], client: String, person: String, code: String, in setting: PageSetting
    ) -> Response {
        let language = setting.language
        let title = texts.text(.deviceQuestion, in: language, ["app": client])
        let text = page(title, in: setting).text(
            """
            <p>\(texts.text(.deviceQuestionText, in: language, ["code": code, "user": person]))</p>
            <form method="post" action="\(path)">
            \(Self.hidden(fields))<button type="submit" name="choice" value="no" autofocus>\
            \(texts.text(.cancel, in: language))</button>
            <button type="submit" name="choice" value="yes" class="other">\(texts.text(.goOn, in: language))</button>
            </form>
            """)
        return response(text, formAction: "'self'")
    }
}
