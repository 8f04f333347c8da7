// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import OAuth
internal import Storage
internal import WebPages

/// Creates the responses with the pages that the platform shows in browsers.
struct Pages: Sendable {
    let database: any Database
    let texts: Texts<PageText>
    private let keyboard: Texts<KeyboardText>

    /// - Throws: ``TextsFailure`` if a catalogue of texts is faulty. The tests find such a fault.
    init(database: any Database) throws {
        self.database = database
        (texts, keyboard) = (try PageText.catalogue.get(), try KeyboardText.catalogue.get())
    }

    /// A hidden field of a form.
    typealias Field = (name: String, value: String)

    static func fields(of parameters: FormParameters) -> [Field] {
        parameters.names.map { ($0, parameters[$0] ?? "") }
    }

    /// Returns a page with only a message.
    func message(_ title: PageText, _ text: PageText, in setting: PageSetting) -> Response {
        let page = page(texts.text(title, in: setting.language), in: setting)
        return response(page.text("<p>\(texts.text(text, in: setting.language))</p>"))
    }

    /// Returns a page that says why a request is refused, and what to do.
    func refusal(_ error: OAuthError, in setting: PageSetting) -> Response {
        let page = page(texts.text(.notPossible, in: setting.language), in: setting)
        return response(page.text(alert(error, in: setting.language)), status: error.status)
    }

    /// Returns a redirect whose body contains the target as a link, which some clients read instead of `Location`.
    func redirect(to target: String, status: HTTPResponse.Status, in setting: PageSetting) -> Response {
        let page = page(texts.text(.oneMoment, in: setting.language), in: setting)
        let goOn = texts.text(.goOn, in: setting.language)
        var response = response(page.text("<p><a href=\"\(target)\">\(goOn)</a></p>"), status: status)
        response.headers[.location] = target
        return response
    }

    /// Returns a form that submits itself to the client (OAuth 2.0 Form Post Response Mode).
    func formPost(to target: RedirectURI, fields: [Field], in setting: PageSetting) -> Response {
        response(selfSubmitting(to: target.text, fields, in: setting), formAction: target.policySource)
    }

    /// Returns a form that submits itself to this server again, so that the request comes from the server's own page.
    func resubmit(to path: String, fields: [Field], in setting: PageSetting) -> Response {
        response(selfSubmitting(to: path, fields, in: setting), formAction: "'self'")
    }

    private func selfSubmitting(to target: String, _ fields: [Field], in setting: PageSetting) -> String {
        let addresses = FormPage.Addresses(
            stylesheets: [PageAsset.stylesheet.path], scripts: [PageAsset.submit.path])
        let page = FormPage(
            texts.text(.oneMoment, in: setting.language), in: setting.language, loading: addresses)
        return page.text(
            """
            <form method="post" action="\(target)">
            \(Self.hidden(fields))<button type="submit">\(texts.text(.goOn, in: setting.language))</button>
            </form>
            """)
    }

    /// Returns the page that asks whether to sign out.
    ///
    /// - Parameters:
    ///   - username: the user name of the signed-in person.
    ///   - target: the redirect target that the page's policy must allow.
    func signOut(
        _ username: String, to path: String, fields: [Field], leadingTo target: RedirectURI?, in setting: PageSetting
    ) -> Response {
        let language = setting.language
        let page = page(texts.text(.signOutQuestion, in: language), in: setting)
        let text = page.text(
            """
            <p>\(texts.text(.signOutText, in: language, ["user": username]))</p>
            <form method="post" action="\(path)">
            \(Self.hidden(fields))<button type="submit" autofocus>\(texts.text(.signOut, in: language))</button>
            </form>
            """)
        return response(
            text, formAction: (["'self'"] + (target.map { [$0.policySource] } ?? [])).joined(separator: " "))
    }

    static func hidden(_ fields: [Field]) -> HTML {
        HTML(fields.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">\n" })
    }

    /// Returns the text of a page about a refusal. It includes the error number, which identifies the refusal for an
    /// administrator.
    func alert(_ error: OAuthError, in language: Language) -> HTML {
        guard let text = PageText(error) else {
            return """
                <div role="alert">\(texts.text(.notPossibleText, in: language))</div>
                <p lang="en" dir="ltr">\(error.wireDescription)</p>
                """
        }
        return "<div role=\"alert\">\(texts.text(text, in: language)) (\("AADSTS\(error.number)"))</div>"
    }

    /// Returns a page with the organisation's name, logo and colour.
    ///
    /// - Parameter hasFields: whether the person types something, so that the page offers an on-screen keyboard.
    func page(_ title: String, in setting: PageSetting, hasFields: Bool = false) -> FormPage {
        let place = setting.tenant.flatMap { tenant in
            setting.branding.map { "/\(tenant.id)/branding/\($0.version)" }
        }
        var stylesheets = [PageAsset.stylesheet.path]
        if let place, setting.branding?.colour != nil { stylesheets.append("\(place)/colour.css") }
        var page = FormPage(
            title, in: setting.language,
            loading: FormPage.Addresses(
                stylesheets: stylesheets, scripts: hasFields ? [PageAsset.keyboard.path] : []))
        page.organisation = setting.tenant?.displayName
        if let place, setting.branding?.hasLogo == true { page.logo = "\(place)/logo" }
        if hasFields { page.keyboard = keyboard }
        return page
    }

    func response(_ html: String, status: HTTPResponse.Status = .ok, formAction: String = "'none'") -> Response {
        let policy = [
            "default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self'",
            "form-action \(formAction)", "base-uri 'none'", "frame-ancestors 'none'",
        ]
        return Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy: policy.joined(separator: "; "),
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }
}
