// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Crypto
import CryptoExtras
import HTTPTypes
import IdentityPlatform
import JSON
import OAuth
import Redaction
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// Tests tokens for applications that act for themselves (RFC 6749 section 4.4, RFC 7523).
@Suite struct ClientCredentialsTests {
    @Test func `an application with a key and a permission gets a token of its own`() async throws {
        let application = try await TestApplication(
            TestPlatform(), permissions: ["User.ReadWrite.All", "Device.Read.All"])
        let answer = try await application.ask(try application.assertion())
        #expect(answer.status == .ok, "\(answer.text)")
        #expect(answer.headers[.cacheControl] == "no-store")
        let reply = try answer.json
        #expect(try reply.string(ReplyName.tokenType) == "Bearer")
        #expect(try reply.integer(ReplyName.expiresIn) == 3600)
        #expect(reply[ReplyName.refreshToken] == nil && reply[ReplyName.idToken] == nil)
        let (fixture, client) = (application.fixture, application.client.id.rawValue)
        let token = try CompactJWS(try reply.string(ReplyName.accessToken))
        let claims = try token.claims()
        for (name, value) in [
            (ClaimName.audience, TestApplication.resource), (.appID, client), (.authorizedParty, client),
            (.appIDAuthenticationClass, "2"), (.authorizedPartyAuthenticationClass, "2"), (.identityType, "app"),
            (.issuer, "https://login.test:8443/\(fixture.tenant.id)/v2.0"), (.tenantID, fixture.tenant.id.rawValue),
            (.version, "2.0"), (.subject, try claims.string(ClaimName.objectID)),
        ] {
            #expect(try claims.string(name) == value, "\(name)")
        }
        #expect(try claims.strings(ClaimName.roles) == ["Device.Read.All", "User.ReadWrite.All"])
        #expect(try claims.integer(ClaimName.expiresAt) == Int(fixture.clock.now.seconds) + 3600)
        for name in [ClaimName.scopes, .sessionID, .name, .preferredUsername, .directoryRoles] {
            #expect(claims[name] == nil, "\(name)")
        }
        let published = try await fixture.client.get("/\(fixture.tenant.id)/discovery/v2.0/keys")
        let (keys, id) = (try JSONWebKeySet(decoding: published.body), try #require(token.keyID))
        try token.verify(with: try #require(keys[id]).verificationKey())
        // The object id belongs to the application in its organisation.
        let again = try CompactJWS(try await application.token()).claims()
        #expect(try again.string(ClaimName.objectID) == claims.string(ClaimName.objectID))
        let other = try CompactJWS(try await TestApplication(fixture).token()).claims()
        #expect(try other.string(ClaimName.objectID) != claims.string(ClaimName.objectID))
    }

    @Test func `keys on P-256 and RSA keys with both paddings are accepted, and every name of the resource`()
        async throws
    {
        let fixture = try await TestPlatform()
        let rsa = try RSAKeys(from: 7).next()
        for (key, signer) in [
            (SigningKey.rsa(rsa), SigningKey.rsa(rsa)), (.rsa(rsa), .held(PSSKey(key: rsa))),
            (.p256(P256.Signing.PrivateKey()), nil),
        ] as [(SigningKey, SigningKey?)] {
            let application = try await TestApplication(fixture, key: key)
            for resource in [
                "https://admin.test", "https://ADMIN.test:8445/", "api://b7a70000-0000-4000-8000-00000000ad01",
                "b7a70000-0000-4000-8000-00000000ad01",
            ] {
                let answer = try await application.ask(
                    try application.assertion(signedBy: signer), ["scope": "\(resource)/.default"])
                #expect(answer.status == .ok, "\(resource): \(answer.text)")
                let token = try answer.json.string(ReplyName.accessToken)
                #expect(try await application.verified(token).permissions == ["Device.Read.All"])
            }
        }
    }

    @Test func `the audience of an assertion is the token endpoint or the issuer, and nothing else`() async throws {
        let fixture = try await TestPlatform()
        let application = try await TestApplication(fixture)
        let (tenant, login) = (fixture.tenant.id, "https://login.test:8443")
        let other = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        for good in [
            "\(login)/\(tenant)/v2.0", "\(login)/\(tenant)/", "\(login)/contoso.test/oauth2/v2.0/token",
            "\(login)/\(tenant)/oauth2/token", "https://login.test/\(tenant)/oauth2/v2.0/token",
        ] {
            let answer = try await application.ask(try application.assertion(["aud": .string(good)]))
            #expect(answer.status == .ok, "\(good): \(answer.text)")
        }
        for bad in [
            "https://evil.test/\(tenant)/oauth2/v2.0/token", "http://login.test:8443/\(tenant)/oauth2/v2.0/token",
            "\(login)/\(other.id)/oauth2/v2.0/token", "\(login)/fabrikam.test/oauth2/v2.0/token",
            "\(login)/\(other.id)/v2.0", "\(login)/\(tenant)/oauth2/v2.0/authorize",
            "\(login)/common/oauth2/v2.0/token",
            "https://admin.test:8445", login, "",
        ] {
            let answer = try await application.ask(try application.assertion(["aud": .string(bad)]))
            #expect(answer.errorNumber == 700023, "\(bad): \(answer.text)")
            #expect(answer.status == .unauthorized)
        }
    }

    @Test func `an assertion is refused if a claim is missing or of the wrong kind`() async throws {
        let application = try await TestApplication(TestPlatform())
        let endpoint = JSONValue.string("https://login.test:8443/\(application.fixture.tenant.id)/oauth2/v2.0/token")
        for changes in [
            ["iss": nil], ["sub": nil], ["aud": nil], ["exp": nil], ["jti": nil], ["jti": .string("")],
            ["jti": .integer(1)], ["exp": .string("soon")],
            ["exp": .string("4000000000")], ["nbf": .string("1")], ["iat": .string("1")],
            ["nbf": .bool(true)], ["aud": .array([])],
            // Another server for which the assertion is meant could use it here.
            ["aud": .array([endpoint, .string("https://elsewhere.test")])],
        ] as [[String: JSONValue?]] {
            let answer = try await application.ask(try application.assertion(changes))
            #expect(answer.errorNumber == 50027, "\(changes): \(answer.text)")
        }
        let single = try await application.ask(try application.assertion(["aud": .array([endpoint])]))
        #expect(single.status == .ok)
        let other = JSONValue.string(application.fixture.app.id.rawValue)
        for changes in [["iss": other], ["sub": other], ["iss": other, "sub": other]] as [[String: JSONValue?]] {
            let answer = try await application.ask(try application.assertion(changes))
            #expect(answer.errorNumber == 700021, "\(changes): \(answer.text)")
        }
        #expect(try await application.ask(try application.assertion(), ["client_id": nil]).status == .ok)
        for (changes, number) in [
            (["client_assertion": nil], 7_000_218), (["client_assertion": "x.y.z"], 50027),
            (["client_assertion_type": nil], 50027), (["client_assertion_type": "jwt-bearer"], 50027),
            (["client_id": application.fixture.app.id.rawValue], 700021),
        ] as [([String: String?], Int)] {
            let answer = try await application.ask(try application.assertion(), changes)
            #expect(answer.errorNumber == number, "\(changes): \(answer.text)")
        }
    }

    @Test func `an assertion is valid for at most ten minutes`() async throws {
        let application = try await TestApplication(TestPlatform())
        let now = Int(application.fixture.clock.now.seconds)
        for (changes, isGood) in [
            (["exp": .integer(now + 1)], true), (["exp": .integer(now)], false), (["exp": .integer(now - 3600)], false),
            // The client's clock may be a minute fast.
            (["exp": .integer(now + 660), "nbf": .integer(now + 60)], true), (["exp": .integer(now + 661)], false),
            (["nbf": .integer(now + 61)], false), (["iat": .integer(now + 61)], false),
            (["exp": .integer(.max)], false), (["nbf": nil], true), (["iat": .integer(now - 30)], true),
        ] as [([String: JSONValue?], Bool)] {
            let answer = try await application.ask(try application.assertion(changes))
            #expect(answer.errorNumber == (isGood ? nil : 700024), "\(changes): \(answer.text)")
        }
    }

    @Test func `only a registered key of the client counts, and only with its own algorithm`() async throws {
        let fixture = try await TestPlatform()
        let rsa = try RSAKeys(from: 7).next()
        let application = try await TestApplication(fixture, key: .rsa(rsa))
        let other = try await TestApplication(fixture)
        let publicKey = try #require(application.key.verification.publicKeyInfo)
        for signer in [
            other.key, .p256(P256.Signing.PrivateKey()),
            // The classic confusion of algorithms: a MAC whose key is the public key.
            .symmetric(SymmetricKey(data: publicKey)),
            .symmetric(SymmetricKey(data: Array(try TestApplication.pem(application.key).utf8))),
        ] {
            let answer = try await application.ask(try application.assertion(signedBy: signer))
            #expect(answer.errorNumber == 700027, "\(answer.text)")
        }
        let good = try application.assertion()
        let parts = good.split(separator: ".")
        let header = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
        for text in ["\(header).\(parts[1]).", "\(header).\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1]).AAAA"] {
            #expect(try await application.ask(text).errorNumber == 700027, "\(text)")
        }
        #expect(try await application.ask(good).status == .ok)
    }

    @Test func `a secret is refused, in the form and in the header, and so is a password`() async throws {
        let fixture = try await TestPlatform()
        let application = try await TestApplication(fixture)
        let secret = try await fixture.administration.clients.addSecret(to: application.client).text.exposed
        let answer = try await application.ask(
            try application.assertion(), ["client_assertion": nil, "client_secret": secret])
        #expect(answer.errorNumber == 5_000_641)
        #expect(
            try await application.ask(try application.assertion(), ["client_secret": secret]).errorNumber == 5_000_641)
        let basic = Base64.encode(Array("\(application.client.id):\(secret)".utf8))
        let header = try await fixture.client.send(
            .post, "/\(fixture.tenant.id)/oauth2/v2.0/token", headers: [.authorization: "Basic \(basic)"],
            body: "grant_type=client_credentials&scope=\(percentEncoded(TestApplication.resource + "/.default"))")
        #expect(header.errorNumber == 5_000_641)
        #expect(header.text.contains("could be read"))
    }

    @Test func `the scope names the administration, and all permissions at once`() async throws {
        let application = try await TestApplication(TestPlatform())
        for (scope, number) in [
            (nil, 900144), ("", 900144), ("\(TestApplication.resource)/Device.Read.All", 1_002_012),
            ("\(TestApplication.resource)/.default offline_access", 1_002_012), (".default", 1_002_012),
            ("https://graph.test/.default", 5_000_646), ("https://nowhere.test/.default", 500011),
            ("urn:ms-drs:drs.test/.default", 5_000_646),
        ] as [(String?, Int)] {
            let answer = try await application.ask(try application.assertion(), ["scope": scope])
            #expect(answer.errorNumber == number, "\(scope ?? "none"): \(answer.text)")
        }
    }

    @Test func `an application without a permission, and a disabled one, gets no token`() async throws {
        let fixture = try await TestPlatform()
        let clients = fixture.administration.clients
        let application = try await TestApplication(fixture, permissions: [])
        // Permissions for requests on behalf of a person do not count.
        let assertion = try application.assertion()
        #expect(try await application.ask(assertion).errorNumber == 5_000_645)
        try await clients.grant("device.read.all", to: application.client)
        // The refused request has not used the assertion up.
        #expect(try await application.ask(assertion).status == .ok)
        try await clients.setEnabled(false, application.client)
        #expect(try await application.ask(try application.assertion()).errorNumber == 7_000_112)
        try await clients.setEnabled(true, application.client)
        #expect(try await application.ask(try application.assertion()).status == .ok)
        try await clients.remove(application.client)
        #expect(try await application.ask(try application.assertion()).errorNumber == 700016)
    }

    @Test func `a removed key signs no more, and an application's keys overlap while they are replaced`()
        async throws
    {
        let fixture = try await TestPlatform()
        let clients = fixture.administration.clients
        let application = try await TestApplication(fixture)
        let next = SigningKey.p256(P256.Signing.PrivateKey())
        _ = try await clients.addKey(try TestApplication.pem(next), name: "second", to: application.client)
        #expect(try await application.ask(try application.assertion(signedBy: next)).status == .ok)
        #expect(try await application.ask(try application.assertion()).status == .ok)
        try await clients.removeKey(application.keyID, of: application.client)
        #expect(try await application.ask(try application.assertion()).errorNumber == 700027)
        #expect(try await application.ask(try application.assertion(signedBy: next)).status == .ok)
    }

    @Test(
        arguments: [
            ("DELETE FROM clientKey", 700027), ("DELETE FROM applicationPermission", 5_000_645),
            ("UPDATE client SET accountEnabled = 0", 7_000_112),
        ] as [(SQL, Int)])
    func `what is taken away while the signature is verified no longer counts`(change: SQL, number: Int) async throws {
        let interlude = InterleavedDatabase.Interlude()
        let fixture = try await TestPlatform(over: { InterleavedDatabase($0, interlude) })
        let application = try await TestApplication(fixture)
        _ = try await application.token()
        interlude.set { _ = try await fixture.platform.database.write { try $0.execute(change) } }
        #expect(try await application.ask(try application.assertion()).errorNumber == number)
    }

    @Test func `other grants and endpoints refuse an assertion, and say so`() async throws {
        let fixture = try await TestPlatform()
        let application = try await TestApplication(fixture)
        for (path, grant) in [
            ("token", "authorization_code"), ("token", "refresh_token"), ("introspect", ""), ("revoke", ""),
            ("devicecode", ""),
        ] {
            let body = [
                "grant_type=\(grant)", "client_id=\(application.client.id)", "code=x", "refresh_token=x", "token=x",
                "redirect_uri=x", "client_assertion_type=\(TestApplication.type)",
                "client_assertion=\(try application.assertion())",
            ].joined(separator: "&")
            let answer = try await fixture.client.send(
                .post, "/\(fixture.tenant.id)/oauth2/v2.0/\(path)", body: body)
            #expect(answer.errorNumber == 5_000_644, "\(path) \(grant): \(answer.text)")
        }
    }

    @Test func `a server without a name for administration does not have the grant, nor announce it`() async throws {
        let without = try await TestPlatform { $0.names.administration = nil }
        #expect(try await without.token(["grant_type": "client_credentials"]).errorNumber == 70003)
        for (fixture, isServed) in [(without, false), (try await TestPlatform(), true)] {
            let document = try await fixture.client.get("/contoso.test/v2.0/.well-known/openid-configuration").json
            #expect(
                try document.strings(Announced.grant_types_supported)?.contains("client_credentials") == isServed)
            let methods = try #require(try document.strings(Announced.token_endpoint_auth_methods_supported))
            #expect(methods.contains("private_key_jwt") == isServed)
            let algorithms = try document.strings(Announced.token_endpoint_auth_signing_alg_values_supported)
            #expect(algorithms == (isServed ? ["RS256", "PS256", "ES256"] : nil))
        }
    }

    @Test func `with several tenants, the address must name one`() async throws {
        let fixture = try await TestPlatform()
        let application = try await TestApplication(fixture)
        var fields: [String: String?] = [
            "grant_type": "client_credentials", "scope": "\(TestApplication.resource)/.default",
            "client_assertion_type": TestApplication.type, "client_assertion": try application.assertion(),
        ]
        #expect(try await fixture.token(fields, tenant: "organizations").status == .ok)
        _ = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        fields["client_assertion"] = try application.assertion()
        #expect(try await fixture.token(fields, tenant: "organizations").errorNumber == 50059)
        #expect(try await fixture.token(fields, tenant: "fabrikam.test").errorNumber == 700016)
        #expect(try await fixture.token(fields, tenant: "contoso.test").status == .ok)
    }

    @Test func `tokens and refusals are in the audit log, with the application as actor`() async throws {
        let fixture = try await TestPlatform()
        let application = try await TestApplication(fixture)
        for _ in 0..<3 { _ = try await application.token() }
        for _ in 0..<2 { _ = try await application.ask(try application.assertion(["aud": .string("x")])) }
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(50, tenant: fixture.tenant.id) }
        let own = lines.filter { $0.actor == "client:\(application.client.id)" }
        #expect(own.map(\.action) == ["client.sign-in", "client.sign-in"])
        #expect(own.map(\.outcome) == ["done", "refused"])
        #expect(own.map(\.repetitions) == [3, 2])
        #expect(own.first?.subject == application.keyID)
        let acts = lines.filter { $0.action.hasPrefix("client.key.") || $0.action.hasPrefix("client.permission.") }
        #expect(acts.map(\.action) == ["client.key.add", "client.permission.grant"])
        #expect(acts.map(\.detail) == [application.keyID, "Device.Read.All"])
        #expect(acts.allSatisfy { $0.actor == "operator" && $0.subject == application.client.id.rawValue })
        // Graph shows the application as the initiator.
        let auditor = try await GraphCaller(fixture, .globalReader)
        let filter = percentEncoded("activityDisplayName eq 'client.sign-in'")
        let shown = try await auditor.get("/auditLogs/directoryAudits?$filter=\(filter)")
        #expect(try shown.list.count == 2)
        #expect(
            try shown.list.allSatisfy {
                $0["initiatedBy"]
                    == .object(["app": .object(["appId": .string(application.client.id.rawValue)])])
            }, "\(shown.text)")
    }
}

private enum Announced: String, WireName {
    case grant_types_supported, token_endpoint_auth_methods_supported, token_endpoint_auth_signing_alg_values_supported
}
