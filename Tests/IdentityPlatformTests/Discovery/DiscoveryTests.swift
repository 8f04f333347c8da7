// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import JSON
import OAuth
import TestSupport
import Testing

/// Tests the documents of OpenID Connect Discovery 1.0 and Entra's additional documents.
@Suite struct DiscoveryTests {
    private func document(_ fixture: TestPlatform, _ path: String) async throws -> Members {
        let answer = try await fixture.client.get(path + "/.well-known/openid-configuration")
        #expect(answer.status == .ok)
        return try answer.json
    }

    @Test(arguments: ["/v2.0", ""])
    func `every address in the document is served, under each name of the tenant`(tail: String) async throws {
        let fixture = try await TestPlatform()
        let document = try await document(fixture, "/contoso.test" + tail)
        let own = "https://login.test:8443/\(fixture.tenant.id)/"
        #expect(document.values["issuer"]?.string == own + tail.dropFirst())
        var named: Set<String> = []
        for (name, value) in document.values where name.hasSuffix("_endpoint") || name == "jwks_uri" {
            let address = try #require(value.string)
            named.insert(name)
            #expect(address.hasPrefix(own) || address.hasPrefix("https://graph.test:8443/"), "\(address)")
            let host = address.hasPrefix(own) ? "login.test" : "graph.test"
            let path = "/" + address.split(separator: "/").dropFirst(2).joined(separator: "/")
            let answers = [
                try await fixture.client.get(path, host: host), try await fixture.client.send(.post, path, host: host),
            ]
            #expect(answers.contains { ![.notFound, .methodNotAllowed].contains($0.status) }, "\(address)")
        }
        let wanted: Set = ["authorization_endpoint", "token_endpoint", "end_session_endpoint", "jwks_uri"]
        #expect(named.isSuperset(of: wanted))
    }

    @Test func `the document of version 1 names the addresses of version 1`() async throws {
        let fixture = try await TestPlatform()
        let document = try await document(fixture, "/\(fixture.tenant.id)")
        let own = "https://login.test:8443/\(fixture.tenant.id)"
        #expect(document.values["authorization_endpoint"]?.string == own + "/oauth2/authorize")
        #expect(document.values["token_endpoint"]?.string == own + "/oauth2/token")
        #expect(document.values["end_session_endpoint"]?.string == own + "/oauth2/logout")
        #expect(document.values["jwks_uri"]?.string == own + "/discovery/keys")
        let keys = try await fixture.client.get("/contoso.test/discovery/keys")
        #expect(keys.status == .ok)
        #expect(keys.body == (try await fixture.client.get("/contoso.test/discovery/v2.0/keys")).body)
    }

    @Test func `the endpoints accept exactly what the document lists`() async throws {
        let fixture = try await TestPlatform()
        let document = try await document(fixture, "/contoso.test/v2.0")
        let browser = Browser(fixture)
        _ = try await browser.signIn(AuthorizeQuery(fixture))
        for mode in try #require(try document.strings(Listed.response_modes_supported)) {
            let answer = try await browser.get(AuthorizeQuery(fixture, ["response_mode": mode]).path)
            #expect(answer.status == (mode == "form_post" ? .ok : .found))
            // The answer is in the redirect's address or in the page's form.
            let said = (answer.headers[.location] ?? "") + answer.text
            #expect(said.contains("code") && !said.contains("error"), "\(mode): \(said)")
        }
        for prompt in try #require(try document.strings(Listed.prompt_values_supported)) {
            let answer = try await browser.get(AuthorizeQuery(fixture, ["prompt": prompt]).path)
            #expect(answer.status == (prompt == "none" ? .found : .ok), "\(prompt)")
            #expect(answer.headers[.location]?.contains("error") != true && answer.alert == nil, "\(prompt)")
        }
        for grant in try #require(try document.strings(Listed.grant_types_supported)) {
            let said = try await fixture.token(["grant_type": grant]).text
            // The request for a nonce succeeds; every other grant type gets an error.
            #expect(said.contains("\"error\"") || said.contains("\"Nonce\""), "\(grant): \(said)")
            #expect(!said.contains("unsupported_grant_type"), "\(grant)")
        }
        #expect(try document.strings(Listed.response_types_supported) == ["code"])
        #expect(try document.strings(Listed.id_token_signing_alg_values_supported)?.contains("RS256") == true)
        #expect(try document.strings(Listed.code_challenge_methods_supported) == ["S256"])
        #expect(document[Listed.authorization_response_iss_parameter_supported] == .bool(true))
        #expect(document[Listed.request_parameter_supported] == .bool(false))
        #expect(document[Listed.request_uri_parameter_supported] == .bool(false))
    }

    @Test func `the document lists every claim of an id token`() async throws {
        let fixture = try await TestPlatform()
        let document = try await document(fixture, "/contoso.test/v2.0")
        let announced = Set(try #require(try document.strings(Listed.claims_supported)))
        let query = AuthorizeQuery(fixture, ["scope": "openid profile email User.Read"])
        let code = try await Browser(fixture).signIn(query)[ParameterName.code]
        let token = try CompactJWS(try await fixture.redeem(code).json.string(ReplyName.idToken))
        #expect(announced.isSuperset(of: try token.claims().values.keys))
    }

    @Test func `with several tenants, common has a template for their issuers`() async throws {
        let fixture = try await TestPlatform()
        _ = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        for name in ["common", "Organizations"] {
            let document = try await document(fixture, "/\(name)/v2.0")
            #expect(document.values["issuer"]?.string == "https://login.test:8443/{tenantid}/v2.0")
            #expect(
                document.values["token_endpoint"]?.string
                    == "https://login.test:8443/\(name.lowercased())/oauth2/v2.0/token")
        }
        let unknown = try await fixture.client.get("/nowhere.test/v2.0/.well-known/openid-configuration")
        #expect(unknown.errorNumber == 90002)
    }

    @Test func `instance discovery accepts exactly the names of the server's own hosts`() async throws {
        let fixture = try await TestPlatform { $0.names.aliases.login = ["login.alias.test"] }
        func ask(_ endpoint: String, version: String? = "1.1") async throws -> TestResponse {
            let asked = version.map { "api-version=\($0)&" } ?? ""
            return try await fixture.client.get(
                "/Common/discovery/instance?\(asked)authorization_endpoint=\(percentEncoded(endpoint))")
        }
        for host in ["login.test", "LOGIN.test:8443", "login.alias.test"] {
            let answer = try await ask("https://\(host)/contoso.test/oauth2/v2.0/authorize")
            #expect(answer.status == .ok)
            #expect(
                try answer.json.values["tenant_discovery_endpoint"]?.string
                    == "https://login.test:8443/contoso.test/v2.0/.well-known/openid-configuration")
            guard case .array(let hosts) = try answer.json.values["metadata"] else {
                Issue.record("no metadata")
                continue
            }
            let entry = try #require(hosts.first?.object)
            #expect(hosts.count == 1)
            #expect(entry["preferred_network"]?.string == "login.test")
            #expect(entry["aliases"] == .array([.string("login.test"), .string("login.alias.test")]))
        }
        for endpoint in [
            "https://evil.test/contoso.test/oauth2/v2.0/authorize", "https://login.test", "x",
            "https://login.test@evil.test/a", "http://login.test/contoso.test/x", "https://login.test/%2e%2e/x",
        ] {
            let answer = try await ask(endpoint)
            #expect(answer.status == .badRequest, "\(endpoint)")
            #expect(try answer.json.string(ReplyName.error) == "invalid_instance", "\(endpoint)")
            #expect(answer.errorNumber == 50049)
        }
        #expect(try await ask("https://login.test/common/x", version: "2.0").errorNumber == 90023)
        #expect(try await ask("https://login.test/common/x", version: nil).errorNumber == 900_144)
    }

    @Test func `the user realm reveals the domain and never whether an account exists`() async throws {
        let fixture = try await TestPlatform()
        let known = try await fixture.client.get("/common/UserRealm/amara@contoso.test?api-version=1.0")
        let unknown = try await fixture.client.get("/common/userrealm/nobody%40contoso.test?api-version=1.0")
        #expect(known.status == .ok)
        #expect(known.body == unknown.body)
        #expect(try known.json.values["account_type"]?.string == "Managed")
        #expect(try known.json.values["domain_name"]?.string == "contoso.test")
        let elsewhere = try await fixture.client.get("/common/userrealm/x@elsewhere.test")
        #expect(try elsewhere.json.values["account_type"]?.string == "Unknown")
        let long = String(repeating: "x", count: 300)
        #expect(try await fixture.client.get("/common/userrealm/\(long)").status == .badRequest)
    }

    @Test func `the redirect page for native apps exists, and shows nobody its parameters`() async throws {
        let fixture = try await TestPlatform()
        let page = try await fixture.client.get("/common/oauth2/nativeclient?code=secret")
        #expect(page.status == .ok)
        #expect(!page.text.contains("secret"))
        #expect(page.headers[try #require(.referrerPolicy)] == "no-referrer")
        #expect(page.headers[.cacheControl] == "no-store")
    }
}

private enum Listed: String, WireName {
    case authorization_response_iss_parameter_supported, claims_supported, code_challenge_methods_supported,
        grant_types_supported, id_token_signing_alg_values_supported, prompt_values_supported,
        request_parameter_supported, request_uri_parameter_supported, response_modes_supported,
        response_types_supported
}

extension HTTPField.Name {
    static var referrerPolicy: HTTPField.Name? { HTTPField.Name("Referrer-Policy") }
}
