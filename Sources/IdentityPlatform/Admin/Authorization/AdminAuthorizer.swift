// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
package import AdminServer
internal import HTTPTypes
internal import OAuth
internal import Storage

/// Identifies the callers of the administration's HTTPS listener by their access tokens.
package struct AdminAuthorizer: Sendable {
    private let accessTokens: AccessTokens
    private let resource: Resource
    private let database: any Database
    private let environment: ClockAndRandomness
    /// What a client needs to know to get a token.
    package let metadata: ProtectedResource

    /// Returns nil if the server has no name for its administration.
    package init?(_ platform: Platform) {
        let names = platform.configuration.names
        guard let resource = platform.resources.administration, let metadata = ProtectedResource(resource, names) else {
            return nil
        }
        (self.resource, self.metadata) = (resource, metadata)
        (accessTokens, database, environment) = (platform.accessTokens, platform.database, platform.environment)
    }

    /// Returns the caller who has sent an `Authorization` header. The caller's roles and permissions are checked when an
    /// operation is known.
    ///
    /// - Throws: ``OperationRefusal`` if the token is missing or not valid; ``StorageError``
    package func caller(authorization: String?) async throws -> AdminCaller {
        let token: BearerToken
        do { token = try await accessTokens.bearer(authorization: authorization, for: resource) } catch
            let refusal as AccessTokens.Refusal
        {
            throw OperationRefusal(refusal, metadata)
        }
        let rule: any AdminRule
        switch token {
        case .person(let token): rule = PersonRule(token: token, environment: environment, metadata: metadata)
        case .application(let token): rule = ApplicationRule(token: token, environment: environment, metadata: metadata)
        }
        return AdminCaller(
            door: .https, name: rule.name, tenant: rule.tenant,
            permission: TokenPermission(rule: rule, database: database, environment: environment))
    }
}

/// The permission that an access token gives. Each check applies the rule for the token's kind.
private struct TokenPermission: AdminPermission {
    let rule: any AdminRule
    let database: any Database
    let environment: ClockAndRandomness

    func admit(to operation: AdminOperation) async throws {
        let match = try await database.read { try rule.judge(operation, $0) }
        guard case .breakGlass = match else { return }
        // The use is recorded before anything is served.
        try await database.write { connection in
            guard case .breakGlass(let grant) = try rule.judge(operation, connection) else { return }
            try BreakGlassGrants(connection).recordUse(
                grant, for: "\(operation.method.rawValue):\(operation.path)", at: environment.now())
        }
    }

    func confirm(_ operation: AdminOperation, in connection: any Connection) throws {
        _ = try rule.judge(operation, connection)
    }

    func confirmApart(_ operation: AdminOperation) throws {
        _ = try database.readBlocking { try rule.judge(operation, $0) }
    }

    func hasFullControl(in connection: any Connection) throws -> Bool { try rule.isGlobalAdministrator(connection) }
}
