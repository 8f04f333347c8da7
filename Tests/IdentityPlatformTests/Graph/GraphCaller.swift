// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import JSON
import OAuth
import TestSupport
import Testing

/// A person with an access token of Graph, whose permissions a test chooses.
struct GraphCaller {
    let world: World
    let user: User
    private let token: CompactJWS
    var permissions: Set<String> = Set(GraphPermission.allCases.map(\.rawValue))

    /// Bo signs in, with these directory roles; for a second caller, Amara.
    init(_ world: World, _ roles: DirectoryRole..., as user: User? = nil) async throws {
        try await self.init(world, roles: roles, as: user)
    }

    init(_ world: World, roles: [DirectoryRole], as user: User? = nil) async throws {
        self.world = world
        self.user = user ?? world.bo
        for role in roles { try await world.administration.assign(role, to: self.user) }
        token = try CompactJWS(
            try await world.signedIn(self.user.userPrincipalName).string(ReplyName.accessToken))
    }

    func holding(_ permissions: Set<String>) -> GraphCaller {
        var caller = self
        caller.permissions = permissions
        return caller
    }

    /// The token, with the chosen permissions signed into it by the tenant's own key.
    func bearer() async throws -> String {
        var claims = try token.claims().values
        claims["scp"] = .string(permissions.sorted().joined(separator: " "))
        let key = try await world.platform.keys.current(of: world.tenant.id)
        return try key.signer.token(payload: JSONWriter.write(.object(claims)))
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, body: String? = nil, headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        headers[.authorization] = "Bearer \(try await bearer())"
        return try await world.client.send(
            method, "/v1.0\(path)", host: "graph.test:8443", headers: headers, body: body)
    }

    func get(_ path: String, headers: HTTPFields = [:]) async throws -> TestResponse {
        try await send(.get, path, headers: headers)
    }

    /// The texts of a property in every object of a list.
    func values(_ property: String, _ path: String) async throws -> [String] {
        let answer = try await get(path)
        #expect(answer.status == .ok, "\(answer.text)")
        return try answer.list.map { try #require($0[property]?.string) }
    }
}

extension TestResponse {
    /// The objects of a list.
    var list: [[String: JSONValue]] {
        get throws { try #require(try json.values["value"]?.array).map { try #require($0.object) } }
    }
}
