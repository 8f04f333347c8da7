// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import JSON
import OAuth
import Storage
import TestSupport
import Testing

/// A browser that keeps cookies and fills in pages as a person does. It reads the fields from the HTML.
final class Browser {
    let fixture: TestPlatform
    private(set) var cookies: [String: String] = [:]

    init(_ fixture: TestPlatform, cookies: [String: String] = [:]) { (self.fixture, self.cookies) = (fixture, cookies) }

    /// Returns an independent browser with the same cookies.
    func copy() -> Browser { Browser(fixture, cookies: cookies) }

    /// - Parameter more: headers besides the cookies.
    func get(_ path: String, _ more: HTTPFields = [:]) async throws -> TestResponse {
        var headers = headers
        for name in Set(more.map(\.name)) { headers[name] = more[name] }
        return keep(try await fixture.client.get(path, headers: headers))
    }

    func post(_ path: String, _ form: KeyValuePairs<String, String>) async throws -> TestResponse {
        keep(try await fixture.client.post(path, form: form, headers: headers))
    }

    /// Submits the form of a sign-in page.
    func submit(_ page: TestResponse, username: String, password: String) async throws -> TestResponse {
        let action = try #require(page.attribute("action", of: "<form"))
        return try await post(
            action,
            [
                "csrf": try #require(page.hidden("csrf")), "request": try #require(page.hidden("request")),
                "username": username, "password": password,
            ])
    }

    /// Presses the button of a confirmation page: sends its form with every hidden field.
    ///
    /// - Parameter choice: the value of the button, if there are several.
    func confirm(_ page: TestResponse, choice: String? = nil) async throws -> TestResponse {
        var fields = choice.map { ["choice=\($0)"] } ?? []
        for tag in page.text.split(separator: "<input type=\"hidden\" name=\"").dropFirst() {
            let name = String(tag.prefix { $0 != "\"" })
            fields.append("\(name)=\(percentEncoded(try #require(page.hidden(name))))")
        }
        let action = try #require(page.attribute("action", of: "<form"))
        return keep(try await fixture.client.send(.post, action, headers: headers, body: fields.joined(separator: "&")))
    }

    /// Signs in and returns the parameters in the redirect.
    func signIn(
        _ request: AuthorizeQuery, username: String = "amara@contoso.test", password: String = TestPlatform.password
    ) async throws -> FormParameters {
        let page = try await get(request.path)
        let answer = try await submit(page, username: username, password: password)
        #expect(answer.status == .seeOther)
        return try answer.returned()
    }

    func forget() { cookies = [:] }

    func set(_ cookie: String, _ value: String) { cookies[cookie] = value }

    func remove(_ cookie: String) { cookies[cookie] = nil }

    private var headers: HTTPFields {
        cookies.isEmpty
            ? [:] : [.cookie: cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")]
    }

    private func keep(_ response: TestResponse) -> TestResponse {
        for field in response.headers[values: .setCookie] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] = field.contains("Max-Age=0") ? nil : String(pair[1])
        }
        return response
    }
}

/// Builds an authorisation request.
struct AuthorizeQuery {
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    var tenant: String
    var parameters: [String: String]

    init(_ fixture: TestPlatform, _ changes: [String: String?] = [:]) {
        tenant = fixture.tenant.id.rawValue
        parameters = [
            "client_id": fixture.app.id.rawValue, "response_type": "code", "redirect_uri": "http://localhost:4567",
            "scope": "openid profile offline_access User.Read", "state": "s t&a=te", "nonce": "n-0S6",
            "code_challenge": ProofKey.challenge(for: Self.verifier), "code_challenge_method": "S256",
            "client_info": "1",
        ]
        for (name, value) in changes { parameters[name] = value }
    }

    var path: String { "/\(tenant)/oauth2/v2.0/authorize?\(query)" }

    /// The address of version 1 of the endpoint.
    var olderPath: String { "/\(tenant)/oauth2/authorize?\(query)" }

    private var query: String {
        parameters.map { "\($0.key)=\(percentEncoded($0.value))" }.sorted().joined(separator: "&")
    }
}

extension TestResponse {
    /// Returns the value of an attribute in the first tag that begins with `tag`.
    func attribute(_ name: String, of tag: String) -> String? {
        guard let start = text.firstRange(of: tag), let value = text[start.upperBound...].firstRange(of: "\(name)=\"")
        else { return nil }
        return unescaped(text[value.upperBound...].prefix { $0 != "\"" })
    }

    func hidden(_ name: String) -> String? {
        guard let start = text.firstRange(of: "name=\"\(name)\" value=\"") else { return nil }
        return unescaped(text[start.upperBound...].prefix { $0 != "\"" })
    }

    /// The text of the page's alert.
    var alert: String? {
        guard let start = text.firstRange(of: "<div role=\"alert\">") else { return nil }
        return unescaped(text[start.upperBound...].prefix { $0 != "<" })
    }

    /// The AADSTS number of the error on the page; nil if there is none.
    var shownError: Int? {
        guard alert != nil, let start = text.firstRange(of: "AADSTS") else { return nil }
        return Int(text[start.upperBound...].prefix(while: \.isNumber))
    }

    /// Returns the parameters in the redirect's query or fragment.
    func returned(behind separator: Character = "?") throws -> FormParameters {
        let location = try #require(headers[.location])
        let query = location.split(separator: separator, maxSplits: 1).dropFirst().first ?? ""
        return try FormParameters(parsing: query.utf8)
    }

    var json: Members { get throws { try Members(decoding: body) } }

    /// The AADSTS number of a JSON error response.
    var errorNumber: Int? {
        guard case .array(let numbers) = try? json[ReplyName.errorCodes], case .integer(let number) = numbers.first
        else { return nil }
        return number
    }

    private func unescaped(_ text: some StringProtocol) -> String {
        var output = String(text)
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
            output = output.replacing(entity, with: character)
        }
        return output
    }
}
