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
    /// operation is known. A caller without a token may call few operations.
    ///
    /// - Throws: ``OperationRefusal`` if the token is not valid; ``StorageError``
    package func caller(authorization: String?) async throws -> AdminCaller {
        guard let authorization else { return caller(by: StrangerRule(metadata: metadata)) }
        let token: BearerToken
        do { token = try await accessTokens.bearer(authorization: authorization, for: resource) } catch let refusal
            as AccessTokens.Refusal
        {
            throw OperationRefusal(refusal, metadata)
        }
        switch token {
        case .person(let token):
            return caller(by: PersonRule(token: token, environment: environment, metadata: metadata))
        case .application(let token):
            return caller(by: ApplicationRule(token: token, environment: environment, metadata: metadata))
        }
    }

    private func caller(by rule: some AdminRule) -> AdminCaller {
        AdminCaller(
            interface: .https, name: rule.name, reach: rule.reach, isApplication: rule is ApplicationRule,
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
            try record(grant, for: operation, connection)
        }
    }

    func confirm(_ operation: AdminOperation, in connection: any Connection) throws {
        _ = try rule.judge(operation, connection)
    }

    func confirmApart(_ operation: AdminOperation) throws {
        _ = try database.readBlocking { try rule.judge(operation, $0) }
    }

    func hasFullControl(for operation: AdminOperation, in connection: any Connection) throws -> Bool {
        guard let match = try rule.fullControl(connection) else { return false }
        // If the operation itself needed the grant, its use has been recorded already.
        if case .breakGlass(let grant) = match, case .assigned = try rule.judge(operation, connection) {
            try record(grant, for: operation, connection)
        }
        return true
    }

    func confirmRecentSignIn() throws { try rule.confirmRecentSignIn() }

    private func record(
        _ grant: BreakGlassGrant, for operation: AdminOperation, _ connection: any Connection
    ) throws {
        try BreakGlassGrants(connection).recordUse(
            grant, for: "\(operation.method.rawValue):\(operation.path)", at: environment.now())
    }
}
