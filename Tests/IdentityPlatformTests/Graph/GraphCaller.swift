// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import JSON
import OAuth
import TestSupport
import Testing

/// A person with an access token for Graph. The test chooses the token's permissions.
struct GraphCaller {
    let fixture: TestPlatform
    let user: User
    private let token: CompactJWS
    private let bearer: String

    /// Signs in `user`, by default Bo, with these directory roles and every permission. Pass Amara for a second caller.
    init(_ fixture: TestPlatform, _ roles: DirectoryRole..., as user: User? = nil) async throws {
        try await self.init(fixture, roles: roles, as: user)
    }

    init(_ fixture: TestPlatform, roles: [DirectoryRole], as user: User? = nil) async throws {
        let user = user ?? fixture.bo
        for role in roles { try await fixture.administration.users.assign(role, to: user) }
        let token = try await fixture.signedIn(user.userPrincipalName).string(ReplyName.accessToken)
        try await self.init(fixture, user, CompactJWS(token), Set(GraphPermission.allCases))
    }

    /// Creates a caller with other permissions: changes the token's claims and signs it with the tenant's own key.
    private init(_ fixture: TestPlatform, _ user: User, _ token: CompactJWS, _ permissions: Set<GraphPermission>)
        async throws
    {
        (self.fixture, self.user, self.token) = (fixture, user, token)
        var claims = try token.claims().values
        claims["scp"] = .string(permissions.map(\.rawValue).sorted().joined(separator: " "))
        let key = try await fixture.platform.keys.current(of: fixture.tenant.id)
        bearer = try key.signer.token(payload: JSONWriter.write(.object(claims)))
    }

    /// Returns the same person with other permissions.
    func holding(_ permissions: Set<GraphPermission>) async throws -> GraphCaller {
        try await GraphCaller(fixture, user, token, permissions)
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, body: String? = nil, headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        headers[.authorization] = "Bearer \(bearer)"
        return try await fixture.client.send(
            method, "/v1.0\(path)", host: "graph.test:8443", headers: headers, body: body)
    }

    func get(_ path: String, headers: HTTPFields = [:]) async throws -> TestResponse {
        try await send(.get, path, headers: headers)
    }

    /// Returns the values of a text property of all objects in a list.
    func values(_ property: String, _ path: String) async throws -> [String] {
        let answer = try await get(path)
        #expect(answer.status == .ok, "\(answer.text)")
        return try answer.list.map { try #require($0[property]?.string) }
    }
}

extension TestResponse {
    /// The objects in a list.
    var list: [[String: JSONValue]] {
        get throws { try #require(try json.values["value"]?.array).map { try #require($0.object) } }
    }
}
