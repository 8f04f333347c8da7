// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

extension TestPlatform {
    /// Posts a form with these fields to the token endpoint. Fields that are nil are left out.
    func token(_ fields: [String: String?], tenant: String? = nil) async throws -> TestResponse {
        let body = fields.compactMap { name, value in value.map { "\(name)=\(percentEncoded($0))" } }.sorted()
        return try await client.send(
            .post, "/\(tenant ?? self.tenant.id.rawValue)/oauth2/v2.0/token", body: body.joined(separator: "&"))
    }

    func redeem(_ code: String?, _ changes: [String: String?] = [:]) async throws -> TestResponse {
        var fields: [String: String?] = [
            "grant_type": "authorization_code", "client_id": app.id.rawValue, "code": code,
            "redirect_uri": "http://localhost:4567", "code_verifier": AuthorizeQuery.verifier, "client_info": "1",
        ]
        for (name, value) in changes { fields[name] = value }
        return try await token(fields)
    }

    func refresh(_ token: String, _ changes: [String: String?] = [:]) async throws -> TestResponse {
        var fields: [String: String?] = [
            "grant_type": "refresh_token", "client_id": app.id.rawValue, "refresh_token": token,
        ]
        for (name, value) in changes { fields[name] = value }
        return try await self.token(fields)
    }

    /// Signs a person in and redeems the code.
    func signedIn(_ username: String = "amara@contoso.test", browser: Browser? = nil) async throws -> Members {
        let browser = browser ?? Browser(self)
        let code = try await browser.signIn(AuthorizeQuery(self), username: username)[ParameterName.code]
        let reply = try await redeem(code)
        #expect(reply.status == .ok)
        return try reply.json
    }

    func me(_ accessToken: String, select: String = "") async throws -> TestResponse {
        try await client.get(
            "/v1.0/me\(select)", host: "graph.test", headers: [.authorization: "Bearer \(accessToken)"])
    }
}
