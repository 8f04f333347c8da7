// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import Mustache
internal import NIOCore
internal import OAuth

/// The HTML pages for browsers. Their templates are compiled once.
///
/// Values are escaped here, scalar by scalar, and inserted into the templates unchanged. The template library escapes
/// whole characters, so it misses a quotation mark that a combining mark follows. A browser would read such a quotation
/// mark as the end of an attribute.
struct Pages: Sendable {
    private let signIn: MustacheTemplate
    private let message: MustacheTemplate
    private let redirect: MustacheTemplate
    private let formPost: MustacheTemplate
    private let signOut: MustacheTemplate
    let account: MustacheTemplate
    let consent: MustacheTemplate
    let deviceCode: MustacheTemplate
    let deviceQuestion: MustacheTemplate

    /// The pages, which all platforms in this process share.
    static let compiled = Result { try Pages() }

    private init() throws {
        signIn = try Self.template(Self.signInBody)
        message = try Self.template(Self.messageBody)
        redirect = try Self.template(Self.redirectBody)
        formPost = try Self.template(Self.formPostBody)
        signOut = try Self.template(Self.signOutBody)
        account = try Self.template(Self.accountBody)
        consent = try Self.template(Self.consentBody)
        deviceCode = try Self.template(Self.deviceCodeBody)
        deviceQuestion = try Self.template(Self.deviceQuestionBody)
    }

    /// A hidden field of a form.
    typealias Field = (name: String, value: String)

    static func fields(of parameters: FormParameters) -> [Field] {
        parameters.names.map { ($0, parameters[$0] ?? "") }
    }

    /// The content of the sign-in page.
    struct SignIn {
        let tenant: String
        let client: String
        let action: String
        /// The query of the authorisation request.
        let request: String
        let csrf: String
        let username: String
        let alert: String?
    }

    /// Returns the page that asks for name and password.
    ///
    /// - Parameter redirect: the redirect target that the page's policy must allow; nil if the response does not leave
    ///   this host.
    func signIn(_ content: SignIn, redirect: RedirectURI?, status: HTTPResponse.Status) -> Response {
        var values: [String: Any] = [
            "tenant": escaped(content.tenant), "client": escaped(content.client),
            "action": escaped(content.action), "request": escaped(content.request), "csrf": escaped(content.csrf),
            "username": escaped(content.username), "named": !content.username.isEmpty,
        ]
        // The key is left out if there is no alert, because the library renders a nil text in a dictionary of `Any` as
        // "nil".
        if let alert = content.alert { values["alert"] = escaped(alert) }
        return page(signIn.render(values), status: status, formAction: "'self' \(redirect?.policySource ?? "")")
    }

    /// Returns a page with only a message.
    func message(title: String, text: String, isAlert: Bool = false, status: HTTPResponse.Status = .ok) -> Response {
        page(message.render(["title": escaped(title), "text": escaped(text), "isAlert": isAlert]), status: status)
    }

    /// Returns a redirect whose body contains the target as a link, which some clients read instead of `Location`.
    func redirect(to target: String, status: HTTPResponse.Status) -> Response {
        var response = page(redirect.render(["target": escaped(target)]), status: status)
        response.headers[.location] = target
        return response
    }

    /// Returns a form that submits itself to the client (OAuth 2.0 Form Post Response Mode).
    func formPost(to target: RedirectURI, fields: [Field]) -> Response {
        page(
            formPost.render(form(target.text, fields, script: Self.script)), formAction: target.policySource,
            script: Self.scriptSource)
    }

    /// Returns a form that submits itself to this server again, so that the request comes from the server's own page.
    func resubmit(to path: String, fields: [Field]) -> Response {
        page(formPost.render(form(path, fields, script: Self.script)), formAction: "'self'", script: Self.scriptSource)
    }

    /// Returns the page that asks whether to sign out.
    ///
    /// - Parameters:
    ///   - username: the signed-in person.
    ///   - target: the redirect target that the page's policy must allow.
    func signOut(_ username: String, to path: String, fields: [Field], leadingTo target: RedirectURI?) -> Response {
        let sources = ["'self'"] + (target.map { [$0.policySource] } ?? [])
        var values = form(path, fields)
        values["username"] = escaped(username)
        return page(signOut.render(values), formAction: sources.joined(separator: " "))
    }

    func form(_ target: String, _ fields: [Field], script: String? = nil) -> [String: Any] {
        [
            "target": escaped(target), "script": script ?? "",
            "fields": fields.map { ["name": escaped($0.name), "value": escaped($0.value)] },
        ]
    }

    func page(
        _ html: String, status: HTTPResponse.Status = .ok, formAction: String = "'none'", script: String? = nil
    ) -> Response {
        let policy = [
            "default-src 'none'", "style-src \(Stylesheet.source)", "form-action \(formAction)", "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
        return Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy: (policy + (script.map { ["script-src \($0)"] } ?? [])).joined(separator: "; "),
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    /// Returns the text escaped for an element or a quoted attribute (HTML, section 13.1).
    func escaped(_ text: String) -> String {
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output.append(contentsOf: "&amp;".unicodeScalars)
            case "<": output.append(contentsOf: "&lt;".unicodeScalars)
            case ">": output.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": output.append(contentsOf: "&quot;".unicodeScalars)
            case "'": output.append(contentsOf: "&#39;".unicodeScalars)
            default: output.append(scalar)
            }
        }
        return String(output)
    }

    static func template(_ body: String) throws -> MustacheTemplate {
        try MustacheTemplate(
            string: """
                <!doctype html>
                <html lang="en"><head><meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <style>\(Stylesheet.text)</style>
                \(body)
                </html>
                """)
    }

    private static let script = "document.forms[0].submit()"
    private static let scriptSource = "'sha256-\(Data(SHA256.hash(data: Array(script.utf8))).base64EncodedString())'"
}
