// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

@Suite struct AuthorizeRefusalTests {
    @Test(
        arguments: [
            (["client_id": "11111111-1111-1111-1111-111111111111"], 700016), (["client_id": "x"], 700016),
            (["client_id": nil], 900144), (["redirect_uri": nil], 900144),
            (["redirect_uri": "https://evil.test/cb"], 50011), (["redirect_uri": "http://localhost.evil.test"], 50011),
            (["redirect_uri": "https://localhost:4567"], 50011),
            (["redirect_uri": "http://localhost:4567/other"], 50011),
            (["redirect_uri": "https://app.test:444/cb"], 50011),
            (["redirect_uri": "http://localhost@evil.test"], 50011),
            (["redirect_uri": "javascript://localhost/%0aalert(1)"], 50011),
            (["redirect_uri": "https://app.test/cb#x"], 50011),
        ] as [([String: String?], Int)])
    func `an untrusted request gets a page, never a redirect`(changes: [String: String?], number: Int) async throws {
        let fixture = try await TestPlatform()
        let answer = try await fixture.client.get(AuthorizeQuery(fixture, changes).path)
        #expect(answer.status == .badRequest)
        #expect(answer.headers[.location] == nil)
        #expect(answer.shownError == number)
    }

    @Test(
        arguments: [
            (["response_type": "none"], "unsupported_response_type", 700054),
            (["request": "x.y."], "request_not_supported", 5_000_631),
            (["request_uri": "https://app.test/r"], "request_uri_not_supported", 5_000_632),
            (["registration": "{}"], "registration_not_supported", 5_000_633),
            (["id_token_hint": "x.y.z"], "invalid_request", 90023), (["max_age": "-1"], "invalid_request", 9_002_313),
            (["response_type": nil], "invalid_request", 900144),
            (["code_challenge": nil], "invalid_request", 9_002_325),
            (["code_challenge": "short"], "invalid_request", 9_002_325),
            (["code_challenge_method": "plain"], "invalid_request", 9_002_325),
            (["response_mode": "web_message"], "invalid_request", 70007), (["scope": nil], "invalid_request", 900144),
            (["scope": "openid Mail.Read"], "invalid_scope", 70011),
            (["scope": "https://other.test/.default"], "invalid_resource", 500011),
            (["scope": "User.Read urn:ms-drs:enterpriseregistration.windows.net/.default"], "invalid_scope", 28000),
            (["scope": "urn:ms-drs:enterpriseregistration.windows.net/.default"], "invalid_grant", 65001),
            (["prompt": "none"], "login_required", 50058), (["prompt": "create"], "invalid_request", 90023),
            (["prompt": "none login"], "invalid_request", 90023),
            (["claims": "[]"], "invalid_request", 50146),
            (["claims": #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#], "interaction_required", 53003),
        ] as [([String: String?], String, Int)])
    func `other errors go back to the client`(changes: [String: String?], error: String, number: Int) async throws {
        let fixture = try await TestPlatform()
        let answer = try await fixture.client.get(AuthorizeQuery(fixture, changes).path)
        #expect(answer.status == .found)
        let returned = try answer.returned()
        #expect(returned[ParameterName.error] == error)
        #expect(returned[ParameterName.errorDescription]?.hasPrefix("AADSTS\(number):") == true)
        #expect(returned[ParameterName.state] == "s t&a=te")
        #expect(returned[ParameterName.issuer] == "https://login.test:8443/\(fixture.tenant.id)/v2.0")
    }

    @Test(arguments: ["token", "id_token", "code id_token", "id_token token"])
    func `a request for tokens in the address is refused in the fragment`(
        type: String
    ) async throws {
        let fixture = try await TestPlatform()
        let answer = try await fixture.client.get(AuthorizeQuery(fixture, ["response_type": type]).path)
        let location = try #require(answer.headers[.location])
        #expect(location.hasPrefix("http://localhost:4567#error=unsupported_response_type"))
        #expect(try answer.returned(behind: "#")[ParameterName.state] == "s t&a=te")
        let asked = AuthorizeQuery(fixture, ["response_type": type, "response_mode": "query"])
        #expect(try await fixture.client.get(asked.path).returned()[ParameterName.error] != nil)
    }

    @Test func `unknown parameters and parameters that affect only the appearance are ignored`() async throws {
        let fixture = try await TestPlatform()
        let wishes = [
            "ui_locales": "fr-CA fr", "display": "popup", "acr_values": "a b", "x-client-SKU": "y", "zz": "1",
        ]
        #expect(try await fixture.client.get(AuthorizeQuery(fixture, wishes).path).status == .ok)
    }

    @Test(arguments: [
        "http://localhost", "http://localhost/", "http://localhost:1", "http://LOCALHOST:65535", "msauth.test://auth",
        "https://app.test/cb",
    ])
    func `registered addresses are accepted, a loopback address with any port`(uri: String) async throws {
        let fixture = try await TestPlatform()
        #expect(try await fixture.client.get(AuthorizeQuery(fixture, ["redirect_uri": uri]).path).status == .ok)
    }

    @Test(arguments: [
        ("com.example.app:/oauth2redirect", "com.example.app:/oauth2redirect?code="),
        ("com.example.app:/a?b=c", "com.example.app:/a?b=c&code="), ("com.example.app:/", "com.example.app:/?code="),
    ])
    func `an address with a private scheme and no host gets its code, and is compared exactly`(
        uri: String, beginning: String
    ) async throws {
        let fixture = try await TestPlatform()
        let app = try await fixture.administration.clients.add(
            NewClient(displayName: "App", redirectURIs: [uri]), tenant: fixture.tenant)
        func query(_ redirect: String) -> AuthorizeQuery {
            AuthorizeQuery(fixture, ["client_id": app.id.rawValue, "redirect_uri": redirect])
        }
        let browser = Browser(fixture)
        _ = try await browser.signIn(query(uri))
        let answer = try await browser.get(query(uri).path)
        #expect(answer.headers[.location]?.hasPrefix(beginning) == true, "\(answer.headers[.location] ?? "")")
        let others = [
            uri + "/", uri.uppercased(), uri.replacing(":/", with: "://"), uri.replacing(":/", with: ":"),
            uri.replacing("com.", with: "org."),
        ]
        for other in others {
            #expect(
                try await fixture.client.get(query(other).path).shownError == 50011, "\(other)")
        }
    }

    @Test(arguments: ["nowhere.test", "11111111-1111-1111-1111-111111111111", "consumers"])
    func `an unknown tenant is refused`(tenant: String) async throws {
        let fixture = try await TestPlatform()
        var query = AuthorizeQuery(fixture)
        query.tenant = tenant
        #expect(try await fixture.client.get(query.path).shownError == 90002)
        #expect(try await fixture.token(["grant_type": "refresh_token"], tenant: tenant).errorNumber == 90002)
    }

    @Test func `common means the only tenant, or with several tenants that of the login hint`() async throws {
        let fixture = try await TestPlatform()
        var query = AuthorizeQuery(fixture)
        query.tenant = "Common"
        #expect(try await fixture.client.get(query.path).status == .ok)
        _ = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        #expect(try await fixture.client.get(query.path).shownError == 50059)
        query.parameters["login_hint"] = "amara@contoso.test"
        #expect(try await fixture.client.get(query.path).status == .ok)
    }

    @Test func `a malformed or repeated parameter is refused`() async throws {
        let fixture = try await TestPlatform()
        for tail in ["&x=%zz", "&x=%ff", "&client_id=1"] {
            let answer = try await fixture.client.get(AuthorizeQuery(fixture).path + tail)
            #expect(answer.shownError == 9002313, "\(tail)")
        }
    }

    @Test func `a request with another host name is refused`() async throws {
        let fixture = try await TestPlatform()
        #expect(
            try await fixture.client.get(AuthorizeQuery(fixture).path, host: "evil.test").status == .misdirectedRequest)
        #expect(try await fixture.client.get("/v1.0/me").status == .notFound)
    }
}
